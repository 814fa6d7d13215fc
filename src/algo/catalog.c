/* catalog.c - the table of all rows. */
#include "algo/algo.h"

#include <string.h>

/* The MPI library's own routine: nothing to build. */
const atn_algo atn_algo_native = {
    .name = "native",
    .summary = "the MPI library's own routine",
    .klass = ATN_DIRECT,
    .group = "native",
};

enum {
#define ATN_OPERATION(id, name, source, result, flags) ROW_OF_##name = ATN_##id,
#include "sched/operation.def"
#undef ATN_OPERATION
};

static const atn_row rows[] = {
#define ATN_OPERATION(id, name, source, result, flags)                                             \
    {ATN_##id, #name "/native", &atn_algo_native},
#include "sched/operation.def"
#undef ATN_OPERATION
#define ATN_ALGO(operation, name, home)                                                            \
    {(atn_operation)ROW_OF_##operation, #operation "/" #name, &atn_algo_##home##_##name},
#include "algo/catalog.def"
#undef ATN_ALGO
};

static const atn_row files[] = {
#define ATN_OPERATION(id, name, source, result, flags) {ATN_##id, #name "/file", &atn_algo_file},
#include "sched/operation.def"
#undef ATN_OPERATION
};

int atn_algo_catalog_rows(void) { return (int)(sizeof rows / sizeof *rows); }
const atn_row *atn_algo_catalog_row(int i) { return &rows[i]; }
const atn_row *atn_algo_catalog_native(atn_operation op) { return &rows[op]; }
const atn_row *atn_algo_catalog_file(atn_operation op) { return &files[op]; }

const atn_row *atn_algo_catalog_by_name(const char *full_name)
{
    for (int i = 0; i < atn_algo_catalog_rows(); i++)
        if (strcmp(rows[i].name, full_name) == 0)
            return &rows[i];
    for (int op = 0; op < ATN_OPERATIONS; op++)
        if (strcmp(files[op].name, full_name) == 0)
            return &files[op];
    return NULL;
}

static bool is_called(const atn_row *row, const char *name)
{
    return strcmp(row->algo->name, name) == 0 || strcmp(row->name, name) == 0;
}

const atn_row *atn_algo_catalog_find(atn_operation op, const char *name)
{
    for (int i = 0; i < atn_algo_catalog_rows(); i++)
        if (rows[i].op == op && is_called(&rows[i], name))
            return &rows[i];
    return is_called(&files[op], name) ? &files[op] : NULL;
}
