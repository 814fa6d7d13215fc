# SimGrid SMPI, if it is installed: simulated jobs.  A program is a shared object that SimGrid loads once for
# each rank, so that every rank has its own variables.  Attune is linked into it, as archives; the
# libraries of other MPIs are preloaded instead.
option(ATN_SMPI "Build for SimGrid SMPI if it is installed" ON)
find_program(ATN_SMPICC smpicc)
if(NOT ATN_SMPI OR ATN_SANITIZE OR NOT ATN_SMPICC)
    return()
endif()
execute_process(COMMAND ${ATN_SMPICC} -show OUTPUT_VARIABLE flags RESULT_VARIABLE failed ERROR_QUIET)
find_file(ATN_SMPI_HELPERS smpi/smpi_helpers.h)
if(failed OR NOT ATN_SMPI_HELPERS)
    return()
endif()
message(STATUS "attune: smpi through ${ATN_SMPICC}")

atn_mpi_interface(smpi "${flags}")
# Clocks, sleep and exit of the simulation; ordinary allocation, which may be freed by other libraries.
target_compile_options(mpi-smpi INTERFACE -include ${ATN_SMPI_HELPERS})
target_compile_definitions(mpi-smpi INTERFACE SMPI_NO_OVERRIDE_MALLOC)

atn_sources(exec_sources exec measure tune/drivers)
atn_sources(pmpi_sources pmpi interpose)
if(NOT ATN_FLAVOURS)
    atn_give_build_id(${exec_sources} ${pmpi_sources})
endif()
add_library(attune-exec-smpi STATIC ${exec_sources})
target_link_libraries(attune-exec-smpi PUBLIC attune-core mpi-smpi)
add_library(attune-smpi STATIC ${pmpi_sources})
target_link_libraries(attune-smpi PUBLIC attune-exec-smpi dl)
foreach(library attune-exec-smpi attune-smpi)
    add_dependencies(${library} attune-build-id)
    # All ranks are in one thread, and a thread has little room for variables of a thousand shared objects;
    # attributes that only such variables can have are ignored.
    target_compile_definitions(${library} PRIVATE _Thread_local=)
    target_compile_options(${library} PRIVATE -Wno-attributes)
endforeach()

# Preloaded into the simulator; needs no library, because the launcher loads it, too.
atn_sources(setup_sources smpi)
add_library(attune_smpi_setup SHARED ${setup_sources})
target_link_libraries(attune_smpi_setup PRIVATE attune-flags)
target_include_directories(attune_smpi_setup PRIVATE $<TARGET_PROPERTY:mpi-smpi,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(attune_smpi_setup PRIVATE _GNU_SOURCE SMPI_NO_OVERRIDE_MALLOC)

# atn_smpi_program(NAME FOLDER SOURCE ...): built into FOLDER/smpi.
function(atn_smpi_program name folder)
    set(target ${folder}-smpi-${name})
    string(REPLACE "/" "-" target ${target})
    add_library(${target} MODULE ${ARGN})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} PREFIX "" SUFFIX ""
        C_VISIBILITY_PRESET default LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${folder}/smpi)
    target_link_libraries(${target} PRIVATE attune-exec-smpi m)
    # The library of SimGrid defines the same names.
    target_link_options(${target} PRIVATE -Wl,-Bsymbolic)
    set(ATN_SMPI_TARGET ${target} PARENT_SCOPE)
endfunction()

# With Attune's collectives: the entry points are weak symbols, which alone would not be linked.
function(atn_smpi_served_program name folder)
    atn_smpi_program(${name} ${folder} ${ARGN})
    target_link_libraries(${ATN_SMPI_TARGET} PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,attune-smpi>")
    set(ATN_SMPI_TARGET ${ATN_SMPI_TARGET} PARENT_SCOPE)
endfunction()

file(GLOB programs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/libexec/*.c)
foreach(file IN LISTS programs)
    get_filename_component(name ${file} NAME_WE)
    # Those that use the executor themselves, and others, which are served like any program.
    if(name MATCHES "_exec$")
        atn_smpi_program(${name} libexec/attune ${file})
    else()
        atn_smpi_served_program(${name} libexec/attune ${file})
    endif()
    list(APPEND ATN_LIBEXEC_smpi ${ATN_SMPI_TARGET})
endforeach()

if(NOT ATN_PROGRAMS)
    return()
endif()
# Tests use the calls and the harness of tests/mpi.
set(harness ${CMAKE_SOURCE_DIR}/tests/mpi/exercise.c ${CMAKE_SOURCE_DIR}/tests/mpi/harness.c)
file(GLOB programs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/sim/*.c)
foreach(file IN LISTS programs)
    get_filename_component(name ${file} NAME_WE)
    atn_smpi_served_program(${name} tests ${file} ${harness})
    target_include_directories(${ATN_SMPI_TARGET} PRIVATE ${CMAKE_SOURCE_DIR}/tests/mpi)
endforeach()

file(GLOB programs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/simulated/*.c)
foreach(file IN LISTS programs)
    get_filename_component(name ${file} NAME_WE)
    atn_smpi_program(${name} bench ${file})
endforeach()
