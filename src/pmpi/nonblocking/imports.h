/* imports.h - whether the program uses nonblocking collectives, before it calls one. */
#ifndef ATN_PMPI_NONBLOCKING_IMPORTS_H
#define ATN_PMPI_NONBLOCKING_IMPORTS_H

#include <stdbool.h>

/* Whether the program or one of its libraries, other than MPI's, imports a nonblocking or
 * persistent collective, in C or Fortran. */
bool atn_nonblocking_imported(void);

#endif
