# Compiles the reduction kernels, src/kernel/body.h, once for each instruction set.  A file for another
# architecture, or whose flags the compiler does not support, compiles to an empty table.
include(CheckCCompilerFlag)

# Vectorised in all builds except those that check or count each access.  Contraction would make results
# depend on the instruction set.  No kernel relies on trapping comparisons, which prevent vectorisation.
set(atn_kernel_flags -ffp-contract=off -fno-trapping-math)
if(NOT ATN_SANITIZE AND NOT ATN_COVERAGE)
    list(APPEND atn_kernel_flags -O3)
endif()

function(atn_kernel_isa name)
    string(REPLACE ";" " " words "${ARGN}")
    check_c_compiler_flag("${words}" ATN_COMPILES_${name})
    set(flags ${atn_kernel_flags})
    if(ATN_COMPILES_${name})
        list(APPEND flags ${ARGN})
    endif()
    set_source_files_properties(${CMAKE_SOURCE_DIR}/src/kernel/${name}.c PROPERTIES
        COMPILE_OPTIONS "${flags}")
endfunction()

set_source_files_properties(${CMAKE_SOURCE_DIR}/src/kernel/baseline.c PROPERTIES
    COMPILE_OPTIONS "${atn_kernel_flags}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
    atn_kernel_isa(avx2 -mavx2)
    # Without DQ: its 64-bit integer products are slower than those composed of 32-bit products.
    atn_kernel_isa(avx512 -mavx512f -mavx512bw -mavx512vl -mprefer-vector-width=512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    atn_kernel_isa(sve -march=armv8.2-a+sve)
endif()
