# attune-core: all code without MPI; and the command line.
# The tuner itself uses no MPI; its drivers in jobs do and are in src/tune/drivers.
atn_sources(core base shm kernel topo sched algo model plan report trace predict research)
file(GLOB tune CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/tune/*.c)
list(APPEND core ${tune})
include(AttuneKernel)
include(AttuneAssets)
atn_assets(core_assets report)
add_library(attune-core STATIC ${core} ${core_assets})
target_link_libraries(attune-core PUBLIC attune-flags m)
if(HWLOC_FOUND)
    target_compile_definitions(attune-core PRIVATE ATN_HAVE_HWLOC=1)
    target_link_libraries(attune-core PUBLIC PkgConfig::HWLOC)
endif()

if(EXISTS ${CMAKE_SOURCE_DIR}/src/cli/main.c)
    atn_sources(cli cli import)
    atn_assets(cli_assets cli)
    add_executable(attune ${cli} ${cli_assets})
    target_link_libraries(attune PRIVATE attune-core ${CMAKE_DL_LIBS})
    # Only the command line reads YAML, JSON and XML, and compresses; the preload libraries do not depend on these.
    foreach(library YAML EXPAT ZLIB)
        if(${library}_FOUND)
            target_compile_definitions(attune PRIVATE ATN_HAVE_${library}=1)
            target_link_libraries(attune PRIVATE PkgConfig::${library})
        endif()
    endforeach()

    # The program prints the completion scripts.
    set(share ${CMAKE_BINARY_DIR}/share)
    set(bash ${share}/bash-completion/completions)
    set(zsh ${share}/zsh/site-functions)
    set(fish ${share}/fish/vendor_completions.d)
    add_custom_command(OUTPUT ${bash}/attune ${zsh}/_attune ${fish}/attune.fish
        COMMAND ${CMAKE_COMMAND} -E make_directory ${bash} ${zsh} ${fish}
        COMMAND attune --completion bash > ${bash}/attune
        COMMAND attune --completion zsh > ${zsh}/_attune
        COMMAND attune --completion fish > ${fish}/attune.fish
        DEPENDS attune COMMENT "Completion scripts" VERBATIM)
    add_custom_target(attune-completion ALL
        DEPENDS ${bash}/attune ${zsh}/_attune ${fish}/attune.fish)
endif()

# Benchmarks without MPI.
if(NOT ATN_PROGRAMS)
    return()
endif()
atn_programs(benches bench/core/*.c)
foreach(file IN LISTS benches)
    get_filename_component(name ${file} NAME_WE)
    add_executable(bench-${name} ${file})
    set_target_properties(bench-${name} PROPERTIES OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench/core)
    target_link_libraries(bench-${name} PRIVATE attune-core)
endforeach()
