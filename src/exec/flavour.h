/* flavour.h - the MPI of this build. */
#ifndef ATN_EXEC_FLAVOUR_H
#define ATN_EXEC_FLAVOUR_H

#include <mpi.h>

#define ATN_TEXT_(x) #x
#define ATN_TEXT(x)  ATN_TEXT_(x)
#if defined(OPEN_MPI)
#define ATN_MPI_NAME "Open MPI"
#define ATN_MPI_VERSION                                                                            \
    ATN_TEXT(OMPI_MAJOR_VERSION)                                                                   \
    "." ATN_TEXT(OMPI_MINOR_VERSION) "." ATN_TEXT(OMPI_RELEASE_VERSION)
#define ATN_MPI_LEAD "Open MPI v" /* prefix of the library's version string */
#elif defined(MPICH_VERSION)
#define ATN_MPI_NAME    "MPICH"
#define ATN_MPI_VERSION MPICH_VERSION
#define ATN_MPI_LEAD    "MPICH Version:"
#elif defined(SMPI_H)
#include <simgrid/version.h>
#define ATN_MPI_NAME    "SMPI"
#define ATN_MPI_VERSION ATN_TEXT(SIMGRID_VERSION_MAJOR) "." ATN_TEXT(SIMGRID_VERSION_MINOR)
#define ATN_MPI_LEAD    "SMPI Version "
#else
#error "Attune supports only Open MPI, MPICH and SimGrid SMPI"
#endif
/* "Open MPI 4.1.4" */
#define ATN_MPI_BUILT_FOR ATN_MPI_NAME " " ATN_MPI_VERSION

#endif
