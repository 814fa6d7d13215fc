# Copies the documents and examples of SOURCE to OUT, as an installation has them: the command is in PATH, and
# links to files of the sources that are not installed become text.
file(REMOVE_RECURSE ${OUT})
file(COPY ${SOURCE}/docs ${SOURCE}/examples ${SOURCE}/README.md ${SOURCE}/CHANGELOG.md DESTINATION ${OUT}
     PATTERN man EXCLUDE PATTERN demo EXCLUDE)
file(GLOB pages ${OUT}/*.md ${OUT}/docs/*.md)
foreach(page IN LISTS pages)
    get_filename_component(folder ${page} DIRECTORY)
    file(READ ${page} text)
    string(REPLACE "build/bin/attune" "attune" text "${text}")
    # Brackets would join the elements of a list.
    string(REPLACE "](" "@(" links "${text}")
    string(REGEX REPLACE "[][;]" "" links "${links}")
    string(REGEX MATCHALL "@\\([^)#: ]+" targets "${links}")
    list(REMOVE_DUPLICATES targets)
    foreach(target IN LISTS targets)
        string(SUBSTRING "${target}" 2 -1 target)
        if(NOT EXISTS "${folder}/${target}")
            string(REGEX REPLACE "[.]" "[.]" pattern "${target}")
            string(REGEX REPLACE "!?\\[([^][]*)\\]\\(${pattern}[^)]*\\)" "\\1" text "${text}")
        endif()
    endforeach()
    file(WRITE ${page} "${text}")
endforeach()
