# Style sheets and scripts of HTML pages, embedded as constants: src/report/page.css is atn_report_page_css, and so are those of
# rooms below.
# atn_assets(OUT dir ...) sets OUT to the C files.
function(atn_assets out)
    set(found)
    foreach(dir IN LISTS ARGN)
        file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${dir}/*.css
                                                  ${CMAKE_SOURCE_DIR}/src/${dir}/*.js)
        foreach(file IN LISTS files)
            get_filename_component(name ${file} NAME)
            string(REPLACE "." "_" symbol "atn_${dir}_${name}")
            set(c ${CMAKE_BINARY_DIR}/generated/${symbol}.c)
            add_custom_command(OUTPUT ${c}
                COMMAND ${CMAKE_COMMAND} -D IN=${file} -D OUT=${c} -D SYMBOL=${symbol}
                        -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
                DEPENDS ${file} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
                COMMENT "Embed ${name}" VERBATIM)
            list(APPEND found ${c})
        endforeach()
    endforeach()
    set(${out} ${found} PARENT_SCOPE)
endfunction()
