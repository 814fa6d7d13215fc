# How the reduction kernels are compiled: src/kernel/body.h once for each instruction set.  A file whose
# flags the compiler does not take, or of another architecture, compiles to "not there".
include(CheckCCompilerFlag)

# Vectorised in every kind of build but sanitized ones, which look at each access.  Contraction would make
# bits depend on the instruction set; that comparisons trap is nothing a kernel relies on, and it forbids
# vectors.
set(atn_kernel_flags -ffp-contract=off -fno-trapping-math)
if(NOT ATN_SANITIZE)
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
    # Without DQ: its products of 64-bit integers are slower than those made of 32-bit ones.
    atn_kernel_isa(avx512 -mavx512f -mavx512bw -mavx512vl -mprefer-vector-width=512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    atn_kernel_isa(sve -march=armv8.2-a+sve)
endif()
