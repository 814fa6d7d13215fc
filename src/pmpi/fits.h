/* fits.h - whether the MPI in this process is the one that a library was built for.  The wrong one
 * has other handles: nothing but passing calls on is safe then. */
#ifndef ATN_FITS_H
#define ATN_FITS_H

#include <mpi.h>
#include <stdbool.h>
#include <string.h>

static inline bool atn_mpi_fits(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    PMPI_Get_library_version(text, &length);
#ifdef ATN_MPI_OPENMPI
    return strstr(text, "Open MPI") != NULL;
#else
    return strstr(text, "Open MPI") == NULL;
#endif
}

#endif
