# Counters of lines and branches in everything that is built from src, for tools/coverage.  Programs of tests and
# benchmarks are not counted, but link code that is.
if(NOT ATN_COVERAGE)
    return()
endif()
# The ranks of a job are threads and processes that share the files of counters: libgcov locks the files when a process
# ends, the counters themselves must be atomic.
set(counted attune-core attune attune-readers attune_smpi_setup)
foreach(flavour IN LISTS ATN_FLAVOURS ITEMS smpi)
    list(APPEND counted attune-exec-${flavour} attune-${flavour} attune_trace-${flavour} attune_messages-${flavour})
endforeach()
foreach(target IN LISTS counted)
    if(TARGET ${target})
        target_compile_options(${target} PRIVATE -fprofile-arcs -ftest-coverage -fprofile-update=atomic)
    endif()
endforeach()
target_link_options(attune-flags INTERFACE --coverage)

# In every program and library, which have counters of their own.
target_sources(attune-flags INTERFACE ${CMAKE_SOURCE_DIR}/cmake/coverage/leave.c)
set_source_files_properties(${CMAKE_SOURCE_DIR}/cmake/coverage/leave.c PROPERTIES
    COMPILE_OPTIONS "-fno-profile-arcs;-fno-test-coverage")
target_link_libraries(attune-flags INTERFACE ${CMAKE_DL_LIBS})
