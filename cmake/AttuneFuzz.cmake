# attune-readers: calls of everything that reads bytes, for the test that replays inputs (unit/test_readers) and,
# with the preset `fuzz`, for libFuzzer.
file(GLOB readers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/read*.c
     ${CMAKE_SOURCE_DIR}/src/cli/launch/*.c
     ${CMAKE_SOURCE_DIR}/src/import/*.c)
add_library(attune-readers STATIC EXCLUDE_FROM_ALL ${readers})
target_link_libraries(attune-readers PUBLIC attune-core)
foreach(library YAML EXPAT)
    if(${library}_FOUND)
        target_compile_definitions(attune-readers PRIVATE ATN_HAVE_${library}=1)
        target_link_libraries(attune-readers PUBLIC PkgConfig::${library})
    endif()
endforeach()
if(ATN_FUZZ)
    add_executable(fuzz EXCLUDE_FROM_ALL tests/fuzz/fuzz.c)
    target_link_options(fuzz PRIVATE -fsanitize=fuzzer)
    target_link_libraries(fuzz PRIVATE attune-readers)
endif()
