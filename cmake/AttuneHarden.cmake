# Hardening of everything that is built, through attune-flags.  tools/check_hardened reads the binaries and lists
# what is missing; SECURITY.md states what is promised.  None of it is on the path of a call: the checks of the
# stack are in functions with arrays, those of _FORTIFY_SOURCE in copies whose bound is known.
option(ATN_HARDEN "Build with stack protector, _FORTIFY_SOURCE, read-only relocations and landing pads" ON)
if(NOT ATN_HARDEN)
    return()
endif()
include(CheckCCompilerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

target_compile_options(attune-flags INTERFACE -Wformat -Wformat-security)
# The last two mark valid targets of indirect branches, on x86-64 and aarch64; older processors skip the marks.
foreach(flag -fstack-protector-strong -fcf-protection=full -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "ATN_COMPILES${flag}" compiles)
    check_c_compiler_flag(${flag} ${compiles})
    if(${compiles})
        target_compile_options(attune-flags INTERFACE ${flag})
    endif()
endforeach()
# Needs optimisation; sanitizers replace it.
if(NOT ATN_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
    target_compile_options(attune-flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
target_link_options(attune-flags INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
