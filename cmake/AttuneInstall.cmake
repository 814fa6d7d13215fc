# The layout of `make install PREFIX=...`.  bin/attune finds the preload libraries in ../lib/attune, in a
# build folder in ../lib.

# A program that is linked with libattune-<flavour>.so instead of preloading it records a versioned soname.
# The file keeps its plain name, because `attune run` and users preload it by that name; the soname is a
# link to it.  Before version 1.0 the interface may change with the minor version.
set(atn_soversion ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
    string(APPEND atn_soversion ".${PROJECT_VERSION_MINOR}")
endif()
function(atn_give_soname flavour)
    set(soname libattune-${flavour}.so.${atn_soversion})
    set_target_properties(attune-${flavour} PROPERTIES NO_SONAME ON)
    target_link_options(attune-${flavour} PRIVATE -Wl,-soname,${soname})
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
    file(CREATE_LINK libattune-${flavour}.so ${CMAKE_BINARY_DIR}/lib/${soname} SYMBOLIC)
    install(FILES ${CMAKE_BINARY_DIR}/lib/${soname} DESTINATION lib/attune)
endfunction()

if(TARGET attune)
    install(TARGETS attune RUNTIME DESTINATION bin)
    install(DIRECTORY ${CMAKE_BINARY_DIR}/share/ DESTINATION share PATTERN man EXCLUDE)
    install(DIRECTORY docs/man/ DESTINATION share/man/man1)
endif()
foreach(flavour IN LISTS ATN_FLAVOURS)
    if(TARGET attune-${flavour})
        atn_give_soname(${flavour})
        install(TARGETS attune-${flavour} attune_trace-${flavour} attune_messages-${flavour}
                LIBRARY DESTINATION lib/attune)
    endif()
    if(ATN_LIBEXEC_${flavour})
        install(TARGETS ${ATN_LIBEXEC_${flavour}} RUNTIME DESTINATION libexec/attune/${flavour})
    endif()
endforeach()
install(TARGETS ${ATN_LAB_PROGRAMS} RUNTIME DESTINATION libexec/attune)
if(ATN_LAB_LIBRARIES)
    install(TARGETS ${ATN_LAB_LIBRARIES} LIBRARY DESTINATION lib/attune)
endif()
install(DIRECTORY include/attune DESTINATION include FILES_MATCHING PATTERN *.h)
configure_file(cmake/attune.pc.in ${CMAKE_BINARY_DIR}/attune.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/attune.pc DESTINATION lib/pkgconfig)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION share/doc/attune)
install(DIRECTORY docs DESTINATION share/doc/attune PATTERN man EXCLUDE)
install(DIRECTORY share/topologies DESTINATION share/attune)
