# The layout of `make install PREFIX=...`, in components that are packages (AttunePackage.cmake).  bin/attune finds the preload libraries in ../lib/attune, in a
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
    install(FILES ${CMAKE_BINARY_DIR}/lib/${soname} DESTINATION lib/attune COMPONENT ${flavour})
endfunction()

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME attune)
set(CMAKE_INSTALL_SO_NO_EXE ON) # libraries need no execute permission

# ---- attune ----
install(TARGETS attune RUNTIME DESTINATION bin)
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/ DESTINATION share PATTERN man EXCLUDE)
install(DIRECTORY docs/man/ DESTINATION share/man/man1)
install(TARGETS ${ATN_LAB_PROGRAMS} RUNTIME DESTINATION libexec/attune)
install(DIRECTORY share/topologies DESTINATION share/attune)
# One for all versions of Python 3, so not in a folder of one of them.
install(DIRECTORY python/attune DESTINATION share/attune/python FILES_MATCHING PATTERN *.py)
# A build folder has a link to the scripts of studies.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/libexec/attune)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/libexec/studies ${CMAKE_BINARY_DIR}/libexec/attune/studies SYMBOLIC)
install(DIRECTORY libexec/studies DESTINATION libexec/attune USE_SOURCE_PERMISSIONS)
# Module files find the installation relative to themselves.
set(modules share/attune/modulefiles/attune)
configure_file(share/modulefiles/attune.lua.in ${CMAKE_BINARY_DIR}/modulefiles/${ATN_VERSION}.lua @ONLY)
configure_file(share/modulefiles/attune.tcl.in ${CMAKE_BINARY_DIR}/modulefiles/${ATN_VERSION} @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/modulefiles/${ATN_VERSION}.lua
        ${CMAKE_BINARY_DIR}/modulefiles/${ATN_VERSION} DESTINATION ${modules})

# ---- openmpi, mpich ----
foreach(flavour IN LISTS ATN_FLAVOURS)
    if(TARGET attune-${flavour})
        atn_give_soname(${flavour})
        install(TARGETS attune-${flavour} attune_trace-${flavour} attune_messages-${flavour}
                LIBRARY DESTINATION lib/attune COMPONENT ${flavour})
    endif()
    if(ATN_LIBEXEC_${flavour})
        install(TARGETS ${ATN_LIBEXEC_${flavour}}
                RUNTIME DESTINATION libexec/attune/${flavour} COMPONENT ${flavour})
    endif()
endforeach()
if(ATN_LAB_LIBRARIES)
    install(TARGETS ${ATN_LAB_LIBRARIES} LIBRARY DESTINATION lib/attune COMPONENT mpich)
endif()

# ---- dev: headers, and what simulated programs are linked with ----
install(DIRECTORY include/attune DESTINATION include COMPONENT dev FILES_MATCHING PATTERN *.h)
configure_file(cmake/attune.pc.in ${CMAKE_BINARY_DIR}/attune.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/attune.pc DESTINATION lib/pkgconfig COMPONENT dev)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/AttuneConfigVersion.cmake
    COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES cmake/AttuneConfig.cmake ${CMAKE_BINARY_DIR}/AttuneConfigVersion.cmake
        DESTINATION lib/cmake/Attune COMPONENT dev)
# The build folder has an attune-smpi.pc, too.
if(TARGET attune-smpi)
    install(TARGETS attune-smpi attune-exec-smpi attune-core
            ARCHIVE DESTINATION lib/attune COMPONENT dev)
    install(TARGETS attune_smpi_setup LIBRARY DESTINATION lib/attune COMPONENT dev)
    install(TARGETS ${ATN_LIBEXEC_smpi} LIBRARY DESTINATION libexec/attune/smpi COMPONENT dev
            PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    set(pc_hwloc)
    if(HWLOC_FOUND)
        set(pc_hwloc -lhwloc)
    endif()
    set(pc_lib \${pcfiledir}/../lib)
    set(pc_include ${CMAKE_SOURCE_DIR}/include)
    configure_file(cmake/attune-smpi.pc.in ${CMAKE_BINARY_DIR}/pkgconfig/attune-smpi.pc @ONLY)
    set(pc_lib \${pcfiledir}/../attune)
    set(pc_include \${pcfiledir}/../../include)
    configure_file(cmake/attune-smpi.pc.in ${CMAKE_BINARY_DIR}/attune-smpi.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/attune-smpi.pc DESTINATION lib/pkgconfig COMPONENT dev)
endif()

# ---- doc: as in the sources, with the command of the installation ----
install(CODE "execute_process(COMMAND ${CMAKE_COMMAND} -D SOURCE=${CMAKE_SOURCE_DIR}
    -D OUT=${CMAKE_BINARY_DIR}/doc -P ${CMAKE_SOURCE_DIR}/cmake/installed_docs.cmake
    COMMAND_ERROR_IS_FATAL ANY)" COMPONENT doc)
install(DIRECTORY ${CMAKE_BINARY_DIR}/doc/ DESTINATION share/doc/attune COMPONENT doc USE_SOURCE_PERMISSIONS)
install(FILES LICENSE DESTINATION share/doc/attune COMPONENT doc)

# Removes what the last `make install` has installed.
configure_file(cmake/uninstall.cmake.in ${CMAKE_BINARY_DIR}/uninstall.cmake @ONLY)
