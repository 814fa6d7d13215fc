# attune-core: all code without MPI; and the command line.
# The tuner itself uses no MPI; its drivers in jobs do and are in src/tune/drivers.
atn_sources(core base kernel topo sched algo model plan report trace predict research)
file(GLOB tune CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/tune/*.c)
list(APPEND core ${tune})
include(AttuneKernel)
add_library(attune-core STATIC ${core})
target_link_libraries(attune-core PUBLIC attune-flags m)
if(HWLOC_FOUND)
    target_compile_definitions(attune-core PRIVATE ATN_HAVE_HWLOC=1)
    target_link_libraries(attune-core PUBLIC PkgConfig::HWLOC)
endif()

if(EXISTS ${CMAKE_SOURCE_DIR}/src/cli/main.c)
    atn_sources(cli cli)
    add_executable(attune ${cli})
    target_link_libraries(attune PRIVATE attune-core)

    # The program prints its manual page and completion from its own tables.
    set(man ${CMAKE_BINARY_DIR}/share/man/man1/attune.1)
    set(completion ${CMAKE_BINARY_DIR}/share/bash-completion/completions/attune)
    add_custom_command(OUTPUT ${man} ${completion}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/share/man/man1
                ${CMAKE_BINARY_DIR}/share/bash-completion/completions
        COMMAND attune --man > ${man}
        COMMAND attune --completion bash > ${completion}
        DEPENDS attune COMMENT "Manual page and completion" VERBATIM)
    add_custom_target(attune-man ALL DEPENDS ${man} ${completion})
endif()

# Benchmarks without MPI.
atn_programs(benches bench/core/*.c)
foreach(file IN LISTS benches)
    get_filename_component(name ${file} NAME_WE)
    add_executable(bench-${name} ${file})
    set_target_properties(bench-${name} PROPERTIES OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench/core)
    target_link_libraries(bench-${name} PRIVATE attune-core)
endforeach()
