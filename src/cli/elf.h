/* elf.h - what an executable file is and which MPI library it would be linked with at run time.
 *
 * The file is only read, never loaded or run: it may belong to another MPI than this process, and
 * running it could have effects. */
#ifndef ATN_ELF_H
#define ATN_ELF_H

#include "base/base.h"

typedef struct {
    bool elf;        /* else a script or something the kernel hands to an interpreter */
    bool foreign;    /* ELF, but for another processor or word size than this process */
    bool dynamic;    /* has an interpreter (ld.so), so that LD_PRELOAD works */
    bool mpi_inside; /* an MPI library is linked into the file itself */
    char mpi[64];    /* soname of the MPI library among its dependencies; "": none */
} atn_elf;

/* `library_path`: the LD_LIBRARY_PATH it will run with, or NULL.  ATN_ENVIRONMENT when the file
 * cannot be read. */
atn_status atn_elf_examine(const char *path, const char *library_path, atn_elf *about_p,
                           atn_error *err);

/* ---- one file (elf.c) ---- */

typedef struct {
    char *map; /* whole file, private copy */
    size_t size;
    bool elf, foreign, dynamic, mpi_inside;
    const char *rpath, *runpath;  /* into map, or NULL */
    ATN_VEC(const char *) needed; /* into map */
} atn_object;

/* False when the file cannot be read; errno says why. */
bool atn_object_open(const char *path, atn_object *o);
void atn_object_close(atn_object *o);

/* ---- where ld.so would find a library (elf_search.c) ---- */

typedef struct atn_loader atn_loader;
struct atn_loader {
    const char *path; /* the object that needs something */
    const char *rpath, *runpath;
    const atn_loader *parent; /* who needed this object; NULL for the program */
};

/* First readable file for this processor, in ld.so's order; false when there is none. */
bool atn_library_find(const char *name, const atn_loader *by, const char *library_path,
                      char out[4096]);

#endif
