/* map.h - the winner map of pages: a grid of operations and sizes, coloured by algorithm, darker
 * the more it gains over native. */
#ifndef ATN_REPORT_MAP_H
#define ATN_REPORT_MAP_H

#include "base/base.h"
#include "base/stats.h"

/* Cells of an operation are adjacent, in ascending order of bytes. */
typedef struct {
    const char *operation;
    int64_t bytes;
    const char *use;        /* "chain{segment=8K}", "native" */
    atn_estimate vs_native; /* of `use`, or of the best other if it is native; mid 0: unknown */
} atn_map_cell;

typedef ATN_VEC(atn_map_cell) atn_map;

/* The grid with its legend; nothing without cells.  False: out of memory. */
bool atn_report_map_write(FILE *f, const atn_map *map);

#endif
