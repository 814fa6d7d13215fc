# What `make install PREFIX=...` puts where.  bin/attune finds the preload libraries in ../lib/attune,
# in a build folder in ../lib.
if(TARGET attune)
    install(TARGETS attune RUNTIME DESTINATION bin)
    install(DIRECTORY ${CMAKE_BINARY_DIR}/share/ DESTINATION share)
endif()
foreach(flavour IN LISTS ATN_FLAVOURS)
    if(TARGET attune-${flavour})
        install(TARGETS attune-${flavour} LIBRARY DESTINATION lib/attune)
    endif()
endforeach()
install(DIRECTORY include/attune DESTINATION include FILES_MATCHING PATTERN *.h)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION share/doc/attune)
install(DIRECTORY docs DESTINATION share/doc/attune)
