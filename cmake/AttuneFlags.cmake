# Compile options of every target.  Assertions stay enabled: none is on a hot path.
foreach(type RELEASE RELWITHDEBINFO)
    string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_${type} "${CMAKE_C_FLAGS_${type}}")
endforeach()
add_library(attune-flags INTERFACE)
target_compile_features(attune-flags INTERFACE c_std_11)
target_compile_definitions(attune-flags INTERFACE _GNU_SOURCE ATN_VERSION="${ATN_VERSION}")
target_include_directories(attune-flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
target_compile_options(attune-flags INTERFACE -Wall -Wextra $<$<BOOL:${ATN_WERROR}>:-Werror>)
if(ATN_PREFIX_MAP) # the later one takes precedence
    target_compile_options(attune-flags INTERFACE
        -ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=build)
endif()
if(ATN_SANITIZE)
    # -Wmaybe-uninitialized gives false warnings for instrumented code.
    target_compile_options(attune-flags INTERFACE $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
        -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(attune-flags INTERFACE -fsanitize=address,undefined)
endif()
if(ATN_FUZZ)
    target_compile_options(attune-flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# atn_sources(OUT dir ...): all C files below src/<dir>.
function(atn_sources out)
    set(found)
    foreach(dir IN LISTS ARGN)
        file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${dir}/*.c)
        list(APPEND found ${files})
    endforeach()
    set(${out} ${found} PARENT_SCOPE)
endfunction()

# atn_programs(OUT pattern): programs of one file each.  Files without main() are helpers of the programs
# in the same folder and go to OUT_helpers.
function(atn_programs out pattern)
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${pattern})
    set(helpers)
    foreach(file IN LISTS files)
        file(STRINGS ${file} main REGEX "^int main\\(")
        if(NOT main)
            list(APPEND helpers ${file})
        endif()
    endforeach()
    list(REMOVE_ITEM files ${helpers})
    set(${out} ${files} PARENT_SCOPE)
    set(${out}_helpers ${helpers} PARENT_SCOPE)
endfunction()
