# Debian packages: `make package`, or `cpack -G DEB` in a build folder.  One package for each component of
# AttuneInstall.cmake; dependencies are those of the binaries (dpkg-shlibdeps).
set(ATN_MAINTAINER "Attune maintainers <attune@example.org>" CACHE STRING "Maintainer of packages")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME attune)
set(CPACK_PACKAGE_VERSION ${ATN_VERSION})
set(CPACK_PACKAGE_CONTACT "${ATN_MAINTAINER}")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/packaging/debian/prepare.cmake)
set(CPACK_COMPONENTS_ALL attune ${ATN_FLAVOURS} dev doc)
set(CPACK_ATN_SOURCE ${CMAKE_SOURCE_DIR}) # for prepare.cmake

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # the first line of each description
set(about "Attune executes the collective operations of unmodified MPI programs by the
algorithm that a rule, a prediction or a measurement selects for the machine
at hand.
.")
set(CPACK_COMPONENT_ATTUNE_DESCRIPTION
    "self-tuning, topology-aware MPI collectives
${about}
This package contains the command attune: it runs programs with the preload
library of their MPI, calibrates and tunes clusters, inspects and verifies
algorithms, and emulates clusters.")
set(CPACK_DEBIAN_ATTUNE_PACKAGE_NAME attune)
set(CPACK_DEBIAN_ATTUNE_PACKAGE_SECTION science)
set(CPACK_DEBIAN_ATTUNE_PACKAGE_RECOMMENDS "libattune-openmpi | libattune-mpich, iproute2")
set(CPACK_DEBIAN_ATTUNE_PACKAGE_SUGGESTS "attune-doc")

set(title_openmpi "Open MPI")
set(title_mpich MPICH)
foreach(flavour IN LISTS ATN_FLAVOURS)
    string(TOUPPER ${flavour} upper)
    set(CPACK_COMPONENT_${upper}_DESCRIPTION
        "self-tuning MPI collectives (preload library for ${title_${flavour}})
${about}
This package contains the libraries that attune preloads into programs that
use ${title_${flavour}}, and its measuring programs.")
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME libattune-${flavour})
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION libs)
    set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "attune (= ${ATN_VERSION})")
endforeach()

set(CPACK_COMPONENT_DEV_DESCRIPTION
    "self-tuning MPI collectives (development files)
${about}
This package contains the headers for programs that communicate with Attune,
and what jobs simulated with SimGrid need.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME attune-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "attune (= ${ATN_VERSION})")

set(CPACK_COMPONENT_DOC_DESCRIPTION
    "self-tuning MPI collectives (documentation and examples)
${about}
This package contains the manual and example programs.")
set(CPACK_DEBIAN_DOC_PACKAGE_NAME attune-doc)
set(CPACK_DEBIAN_DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOC_PACKAGE_SHLIBDEPS OFF)
include(CPack)
