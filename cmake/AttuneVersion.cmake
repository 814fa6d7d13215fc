# The public headers repeat the version, so that programs can test it: it must be that of VERSION.
# Also a script: cmake -D ATN_VERSION=x.y.z -P cmake/AttuneVersion.cmake
set(numbers)
foreach(part MAJOR MINOR PATCH)
    file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../include/attune/version.h line
         REGEX "^#define ATTUNE_VERSION_${part} ")
    string(REGEX MATCH "[0-9]+" number "${line}")
    list(APPEND numbers "${number}")
endforeach()
list(JOIN numbers "." version)
if(NOT version STREQUAL ATN_VERSION)
    message(FATAL_ERROR "include/attune/version.h has version ${version}, VERSION has ${ATN_VERSION}; "
                        "make them equal")
endif()
