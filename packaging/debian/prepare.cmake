# Run by cpack before it builds packages: turns the installed components into what Debian expects of a package.
# SOURCE_DATE_EPOCH, or else the time of the last change in CHANGELOG.md, is the time of all files.
set(packages attune openmpi:libattune-openmpi mpich:libattune-mpich dev:attune-dev doc:attune-doc)
set(epoch "$ENV{SOURCE_DATE_EPOCH}")
if(epoch STREQUAL "")
    file(TIMESTAMP ${CPACK_ATN_SOURCE}/CHANGELOG.md epoch "%s" UTC)
endif()
set(ENV{SOURCE_DATE_EPOCH} ${epoch})

function(run)
    execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

execute_process(COMMAND date -u +%Y -d @${epoch} OUTPUT_VARIABLE year OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND date -u -R -d @${epoch} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE)

foreach(entry IN LISTS packages)
    string(REGEX REPLACE ":.*" "" component ${entry})
    string(REGEX REPLACE ".*:" "" package ${entry})
    set(root ${CPACK_TEMPORARY_DIRECTORY}/${component})
    if(NOT EXISTS ${root}/usr)
        continue()
    endif()
    set(doc ${root}/usr/share/doc/${package})
    file(MAKE_DIRECTORY ${doc})
    file(REMOVE ${root}/usr/share/doc/attune/LICENSE) # part of copyright
    file(READ ${CPACK_ATN_SOURCE}/LICENSE license)
    string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
    string(REGEX REPLACE "\n([^\n])" "\n \\1" license "${license}")
    file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Attune

Files: *
Copyright: ${year} the Attune authors
License: BSD-3-Clause
 ${license}")
    file(WRITE ${doc}/changelog "attune (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}; attune-doc has CHANGELOG.md.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
    set(zsh ${root}/usr/share/zsh)
    if(EXISTS ${zsh}/site-functions) # Debian's name
        file(RENAME ${zsh}/site-functions ${zsh}/vendor-completions)
    endif()
    set(overrides ${CPACK_ATN_SOURCE}/packaging/debian/lintian-overrides/${package})
    if(EXISTS ${overrides})
        file(COPY ${overrides} DESTINATION ${root}/usr/share/lintian/overrides)
    endif()
    file(GLOB pages ${root}/usr/share/man/man1/*.1)
    run(gzip -9n ${doc}/changelog ${pages})
    run(chmod -R u=rwX,go=rX ${root})
    run(find ${root} -exec touch -h -d @${epoch} {} +)
endforeach()
