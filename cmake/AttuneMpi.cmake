# One preload library per MPI found: libattune-openmpi.so, libattune-mpich.so.  The handles of the
# two differ (pointers, integers), so every source that uses MPI is compiled once for each.

set(ATN_MPICC_OPENMPI "mpicc.openmpi;mpicc" CACHE STRING "Open MPI compiler wrappers to try")
set(ATN_MPICC_MPICH "mpicc.mpich;mpicc" CACHE STRING "MPICH compiler wrappers to try")
set(ATN_MPIFC_OPENMPI "mpif90.openmpi;mpif90" CACHE STRING "Open MPI Fortran wrappers to try")
set(ATN_MPIFC_MPICH "mpif90.mpich;mpif90" CACHE STRING "MPICH Fortran wrappers to try")
# With ATTUNE_MPI, only the MPI libraries in these folders, or of these wrappers; e.g. those of Spack.
set(ATTUNE_MPI "" CACHE STRING "Folders of MPI installations to build for, instead of those in PATH")
foreach(place IN LISTS ATTUNE_MPI)
    foreach(suffix OPENMPI MPICH)
        string(TOLOWER ${suffix} flavour)
        list(APPEND atn_mpicc_${suffix} ${place}/bin/mpicc ${place}/bin/mpicc.${flavour} ${place})
        list(APPEND atn_mpifc_${suffix} ${place}/bin/mpif90 ${place}/bin/mpif90.${flavour})
    endforeach()
endforeach()
foreach(suffix OPENMPI MPICH)
    if(NOT ATTUNE_MPI)
        set(atn_mpicc_${suffix} ${ATN_MPICC_${suffix}})
        set(atn_mpifc_${suffix} ${ATN_MPIFC_${suffix}})
    endif()
endforeach()
# Options that print the flags; only wrappers of that MPI accept them.
set(atn_flags_of_openmpi --showme:compile --showme:link)
set(atn_flags_of_mpich -compile_info -link_info)

# The first wrapper of the list that belongs to this flavour, and its flags.
function(atn_find_wrapper flavour names out)
    list(GET atn_flags_of_${flavour} 0 compile_option)
    list(GET atn_flags_of_${flavour} 1 link_option)
    foreach(name IN LISTS names)
        find_program(wrapper ${name} NO_CACHE)
        if(wrapper AND NOT IS_DIRECTORY ${wrapper})
            execute_process(COMMAND ${wrapper} ${compile_option} OUTPUT_VARIABLE compile
                            RESULT_VARIABLE failed ERROR_QUIET)
            execute_process(COMMAND ${wrapper} ${link_option} OUTPUT_VARIABLE link
                            RESULT_VARIABLE link_failed ERROR_QUIET)
            if(NOT failed AND NOT link_failed)
                set(${out} ${wrapper} PARENT_SCOPE)
                set(${out}_flags "${compile} ${link}" PARENT_SCOPE)
                return()
            endif()
        endif()
        unset(wrapper)
    endforeach()
    set(${out} "" PARENT_SCOPE)
endfunction()

# mpi-<flavour>: include and link flags that the wrapper prints.
function(atn_mpi_interface flavour flags)
    separate_arguments(words UNIX_COMMAND "${flags}")
    set(dirs ${words})
    list(FILTER dirs INCLUDE REGEX "^-I")
    list(TRANSFORM dirs REPLACE "^-I" "")
    set(links ${words})
    list(FILTER links INCLUDE REGEX "^-(L|l|Wl,|pthread)")
    list(REMOVE_DUPLICATES dirs)
    list(REMOVE_DUPLICATES links)
    add_library(mpi-${flavour} INTERFACE)
    target_include_directories(mpi-${flavour} SYSTEM INTERFACE ${dirs})
    target_link_libraries(mpi-${flavour} INTERFACE ${links} Threads::Threads)
    # MPI_STATUSES_IGNORE is the address 1 in MPICH; the compiler treats it as a small array.
    target_compile_options(mpi-${flavour} INTERFACE -Wno-stringop-overflow)
    if(ATTUNE_MPI) # not in the default path of the dynamic linker
        list(FILTER links INCLUDE REGEX "^-L")
        list(TRANSFORM links REPLACE "^-L" "-Wl,-rpath,")
        target_link_options(mpi-${flavour} INTERFACE ${links})
    endif()
endfunction()

# Ranks agree on this string in MPI_Init: libraries built from different sources never serve one job.
file(GLOB_RECURSE atn_all_sources CONFIGURE_DEPENDS
     ${CMAKE_SOURCE_DIR}/src/*.[ch] ${CMAKE_SOURCE_DIR}/src/*.def ${CMAKE_SOURCE_DIR}/include/*.h)
set(atn_build_id ${CMAKE_BINARY_DIR}/generated/build_id.h)
list(JOIN atn_all_sources "\n" atn_source_list)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/sources.txt CONTENT "${atn_source_list}\n")
add_custom_command(OUTPUT ${atn_build_id}
    COMMAND ${CMAKE_COMMAND} -D LIST=${CMAKE_BINARY_DIR}/generated/sources.txt
            -D VERSION=${ATN_VERSION} -D OUT=${atn_build_id} -P ${CMAKE_SOURCE_DIR}/cmake/build_id.cmake
    DEPENDS ${atn_all_sources} ${CMAKE_SOURCE_DIR}/VERSION ${CMAKE_SOURCE_DIR}/cmake/build_id.cmake
            ${CMAKE_BINARY_DIR}/generated/sources.txt
    COMMENT "Identity of the sources" VERBATIM)
add_custom_target(attune-build-id DEPENDS ${atn_build_id})

# Only files that use the string are recompiled whenever any source changes.
function(atn_give_build_id)
    foreach(file IN LISTS ARGN)
        file(STRINGS ${file} uses REGEX "ATN_BUILD_ID")
        if(uses)
            set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -include ${atn_build_id})
            set_property(SOURCE ${file} APPEND PROPERTY OBJECT_DEPENDS ${atn_build_id})
        endif()
    endforeach()
endfunction()

# Programs of a source folder, built into <out>/<flavour>/, or into another folder if given.  They link
# MPI only; *_exec.c also call the executor directly.
function(atn_mpi_programs flavour folder out)
    set(targets)
    set(where ${out})
    if(ARGC GREATER 3)
        set(where ${ARGV3})
    endif()
    atn_programs(files ${folder}/*.c)
    if(files_helpers)
        add_library(${out}-${flavour}-helpers STATIC ${files_helpers})
        target_link_libraries(${out}-${flavour}-helpers PUBLIC attune-flags mpi-${flavour})
    endif()
    foreach(file IN LISTS files)
        get_filename_component(name ${file} NAME_WE)
        set(target ${out}-${flavour}-${name})
        add_executable(${target} ${file})
        set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
            RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${where}/${flavour})
        list(APPEND targets ${target})
        if(files_helpers)
            target_link_libraries(${target} PRIVATE ${out}-${flavour}-helpers)
        endif()
        if(name MATCHES "_exec$" AND TARGET attune-exec-${flavour})
            target_link_libraries(${target} PRIVATE attune-exec-${flavour})
        endif()
        target_link_libraries(${target} PRIVATE attune-flags mpi-${flavour} m)
    endforeach()
    set(ATN_PROGRAMS_${out} ${targets} PARENT_SCOPE)
endfunction()

function(atn_mpi_fortran flavour wrapper folder)
    set(out_dir ${CMAKE_BINARY_DIR}/${folder}/${flavour})
    string(TOUPPER ${flavour} upper)
    file(GLOB included CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/mpi/*.inc)
    set(programs)
    foreach(file IN LISTS ARGN)
        get_filename_component(name ${file} NAME_WE)
        set(modules ${out_dir}/mod-${name})
        file(MAKE_DIRECTORY ${modules})
        add_custom_command(OUTPUT ${out_dir}/${name}
            COMMAND ${wrapper} -cpp -DTEST_${upper} -O1 -g -Wall -J${modules} -o ${out_dir}/${name} ${file}
            DEPENDS ${file} ${included} COMMENT "Building Fortran ${folder}/${flavour}/${name}" VERBATIM)
        list(APPEND programs ${out_dir}/${name})
    endforeach()
    add_custom_target(fortran-${flavour} ALL DEPENDS ${programs})
endfunction()

function(atn_add_mpi flavour)
    string(TOUPPER ${flavour} upper)
    atn_find_wrapper(${flavour} "${atn_mpicc_${upper}}" mpicc)
    if(NOT mpicc)
        return()
    endif()
    message(STATUS "attune: ${flavour} through ${mpicc}")
    set(ATN_FLAVOURS ${ATN_FLAVOURS} ${flavour} PARENT_SCOPE)
    atn_mpi_interface(${flavour} "${mpicc_flags}")

    atn_sources(exec_sources exec measure tune/drivers)
    atn_sources(pmpi_sources pmpi)
    atn_sources(interpose_sources interpose)
    atn_sources(tracer_sources tracer)
    atn_sources(stager_sources stager)
    atn_give_build_id(${exec_sources} ${pmpi_sources})
    set(definitions ATN_MPI_${upper}=1 ATN_MPI_FLAVOUR="${flavour}")

    if(exec_sources)
        add_library(attune-exec-${flavour} STATIC ${exec_sources})
        target_compile_definitions(attune-exec-${flavour} PUBLIC ${definitions})
        target_link_libraries(attune-exec-${flavour} PUBLIC attune-core mpi-${flavour})
        add_dependencies(attune-exec-${flavour} attune-build-id)
    endif()

    if(exec_sources AND pmpi_sources)
        add_library(attune-${flavour} SHARED ${pmpi_sources} ${interpose_sources})
        # Calls of the MPI library dominate the latency of short messages: avoid the PLT.
        target_compile_options(attune-exec-${flavour} PRIVATE -fno-plt)
        target_compile_options(attune-${flavour} PRIVATE -fno-plt)
        # GCC otherwise copies all arguments of an entry point, also for calls that never use the copies;
        # and the overhead should not depend on the alignment of an entry point.
        set_source_files_properties(src/pmpi/entry/collectives.c PROPERTIES COMPILE_OPTIONS
            "$<$<C_COMPILER_ID:GNU>:-fno-cse-follow-jumps>;-falign-functions=64")
        target_link_libraries(attune-${flavour} PRIVATE attune-exec-${flavour} dl)
        # A preloaded library must load its MPI even if it uses no symbol of it directly.
        target_link_options(attune-${flavour} PRIVATE -Wl,--no-as-needed)
        add_dependencies(attune-${flavour} attune-build-id)
    endif()

    # The tracer and the stager are separate libraries: programs that use neither have no overhead from
    # interposed point-to-point calls.
    add_library(attune_trace-${flavour} SHARED ${tracer_sources} ${interpose_sources})
    add_library(attune_messages-${flavour} SHARED ${stager_sources} ${interpose_sources})
    foreach(library attune_trace-${flavour} attune_messages-${flavour})
        target_compile_definitions(${library} PRIVATE ${definitions})
        target_compile_options(${library} PRIVATE -fno-plt)
        target_link_libraries(${library} PRIVATE attune-core mpi-${flavour} dl)
        target_link_options(${library} PRIVATE -Wl,--as-needed)
    endforeach()

    if(ATN_SANITIZE)
        # No sanitized test runs the tracer: it is compiled for its warnings only.
        target_compile_options(attune_trace-${flavour} PRIVATE -O0 -fno-sanitize=all)
    elseif(ATN_PROGRAMS)
        atn_mpi_programs(${flavour} bench bench)
        atn_mpi_programs(${flavour} bench/kernels kernels bench)
    endif()
    if(ATN_PROGRAMS)
        atn_mpi_programs(${flavour} tests/mpi tests)
        atn_mpi_programs(${flavour} examples examples)
    endif()
    atn_mpi_programs(${flavour} libexec libexec libexec/attune)
    set(ATN_LIBEXEC_${flavour} ${ATN_PROGRAMS_libexec} PARENT_SCOPE)
    atn_find_wrapper(${flavour} "${atn_mpifc_${upper}}" mpifc)
    file(GLOB fortran CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/mpi/*.f90)
    if(mpifc AND fortran AND ATN_PROGRAMS AND NOT ATN_SANITIZE)
        atn_mpi_fortran(${flavour} ${mpifc} tests ${fortran})
    endif()
endfunction()

set(ATN_FLAVOURS)
atn_add_mpi(openmpi)
atn_add_mpi(mpich)
if(ATTUNE_MPI AND NOT ATN_FLAVOURS)
    message(FATAL_ERROR "ATTUNE_MPI: neither Open MPI nor MPICH has a working mpicc in ${ATTUNE_MPI}; name the folder "
                        "that contains bin/mpicc")
endif()
if(NOT ATN_FLAVOURS)
    message(STATUS "attune: no MPI found; only what works without one is built")
endif()
