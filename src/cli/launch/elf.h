/* elf.h - the type of an executable file and the MPI library that ld.so would load for it.
 *
 * The file is only read, never loaded or run, because running it could have side effects. */
#ifndef ATN_CLI_LAUNCH_ELF_H
#define ATN_CLI_LAUNCH_ELF_H

#include "base/base.h"

typedef struct {
    bool elf;        /* else a script or another interpreted file */
    bool foreign;    /* ELF for another processor or word size */
    bool dynamic;    /* has an interpreter (ld.so), so that LD_PRELOAD works */
    bool mpi_inside; /* an MPI library is linked into the file itself */
    char mpi[64];    /* soname of the MPI library among its dependencies; "": none */
} atn_elf;

/* `library_path`: its LD_LIBRARY_PATH at run time, or NULL.  ATN_ENVIRONMENT: the file cannot be
 * read. */
atn_status atn_cli_elf_examine(const char *path, const char *library_path, atn_elf *about_p,
                               atn_error *err);

/* ---- one file (elf.c) ---- */

typedef struct {
    char *map; /* private copy of the file */
    size_t size;
    bool elf, foreign, dynamic, mpi_inside;
    const char *rpath, *runpath;  /* into map, or NULL */
    ATN_VEC(const char *) needed; /* into map */
} atn_object;

/* False: the file cannot be read; see errno. */
bool atn_cli_object_open(const char *path, atn_object *o);
void atn_cli_object_close(atn_object *o);

/* ---- library search (elf_search.c) ---- */

typedef struct atn_loader atn_loader;
struct atn_loader {
    const char *path; /* the object with the dependency */
    const char *rpath, *runpath;
    const atn_loader *parent; /* the object that needs this one; NULL for the program */
};

/* The library that a program without search paths of its own would load; false: none. */
bool atn_cli_library_find(const char *name, char out[4096]);

#endif
