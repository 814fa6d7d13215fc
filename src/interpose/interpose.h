/* interpose.h - exporting MPI_X and PMPI_X, and calling the real routines behind them.
 *
 * A library that interposes a routine exports both of its names.  MPI_X continues with the MPI_X
 * that follows in link order (of Attune, of a tool or of the MPI library), PMPI_X with the PMPI_X
 * that follows.  Both entry points call one handler, which gets the real routine and the return
 * address of the call.
 *
 * A library has a prefix.  It defines two tables of pointers to real routines, <prefix>mpi and
 * <prefix>pmpi, a function <prefix>resolve that fills both, and a handler <prefix>X for each
 * routine X. */
#ifndef ATN_INTERPOSE_INTERPOSE_H
#define ATN_INTERPOSE_INTERPOSE_H

#include "base/base.h"

#define ATN_HIDDEN __attribute__((visibility("hidden")))
#define ATN_EXPORT __attribute__((visibility("default")))

/* Removes the parentheses of a list. */
#define ATN_LIST(...)   __VA_ARGS__
#define ATN_FORMALS(f)  ATN_LIST f
#define ATN_ACTUALS(a)  ATN_LIST a
#define ATN_GLUE(a, b)  ATN_GLUE_(a, b)
#define ATN_GLUE_(a, b) a##b
#define ATN_TEXT(x)     ATN_TEXT_(x)
#define ATN_TEXT_(x)    #x

/* A symbol of the libraries that follow in link order; NULL, and a message, if there is none. */
void *atn_interpose_next_symbol(const char *name, const char *needed_by);

#define ATN_RESOLVE(prefix, needed_by, name)                                                       \
    *(void **)&prefix##mpi.name = atn_interpose_next_symbol("MPI_" ATN_TEXT(name), needed_by);     \
    *(void **)&prefix##pmpi.name = atn_interpose_next_symbol("PMPI_" ATN_TEXT(name), needed_by);

/* A routine may be called before the constructor that resolves all of them has run. */
#define ATN_REAL(prefix, table, name)                                                              \
    (ATN_LIKELY((table).name != NULL) ? (table).name : (prefix##resolve(), (table).name))

#define ATN_HANDLER(prefix, name, formals)                                                         \
    int ATN_GLUE(prefix, name)(int (*next)(ATN_FORMALS(formals)), const void *from,                \
                               ATN_FORMALS(formals));

#define ATN_ENTRY_POINT(prefix, MPI_, table, name, formals, actuals)                               \
    ATN_EXPORT int ATN_GLUE(MPI_, name)(ATN_FORMALS(formals))                                      \
    {                                                                                              \
        return ATN_GLUE(prefix, name)(ATN_REAL(prefix, table, name), __builtin_return_address(0),  \
                                      ATN_ACTUALS(actuals));                                       \
    }
#define ATN_ENTRY_POINTS(prefix, name, formals, actuals)                                           \
    ATN_ENTRY_POINT(prefix, MPI_, prefix##mpi, name, formals, actuals)                             \
    ATN_ENTRY_POINT(prefix, PMPI_, prefix##pmpi, name, formals, actuals)

/* MPI_Finalize has no arguments. */
#define ATN_ENTRY_POINTS_FINALIZE(prefix)                                                          \
    ATN_EXPORT int MPI_Finalize(void)                                                              \
    {                                                                                              \
        return prefix##Finalize(ATN_REAL(prefix, prefix##mpi, Finalize),                           \
                                __builtin_return_address(0));                                      \
    }                                                                                              \
    ATN_EXPORT int PMPI_Finalize(void)                                                             \
    {                                                                                              \
        return prefix##Finalize(ATN_REAL(prefix, prefix##pmpi, Finalize),                          \
                                __builtin_return_address(0));                                      \
    }

#endif
