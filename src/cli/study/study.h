/* study.h - studies: published tables and figures, computed again (docs/studies.md).
 *
 * A study is a row of studies.def.  It is computed by a function here or by a script
 * libexec/attune/studies/NAME, which runs commands of attune and writes lines
 *
 *   ITEM TAB ROW TAB COLUMN TAB VALUE     a value of a table or figure
 *   # REMARK                              a sentence for the reader
 *
 * in which ITEM is an item of published.def.  Stored results (CSV) are read back in place of
 * computing them. */
#ifndef ATN_CLI_STUDY_STUDY_H
#define ATN_CLI_STUDY_STUDY_H

#include "base/base.h"
#include "report/sheet.h"

/* What a study needs. */
typedef enum {
    ATN_STUDY_MODEL, /* nothing */
    ATN_STUDY_SIM,   /* SimGrid */
    ATN_STUDY_LOCAL, /* an MPI library */
    ATN_STUDY_LAB,   /* network namespaces and an MPI library */
    ATN_STUDY_PLACES
} atn_study_place;

extern const char *const atn_cli_study_places[]; /* "model", "simulated", "local", "lab" */

typedef struct atn_study_result atn_study_result;

typedef struct {
    const char *name, *document;
    const char *items; /* "Table 3.1, Table 6.1" */
    atn_study_place place;
    int seconds;                           /* typical duration */
    double share;                          /* difference up to which values agree */
    bool (*compute)(atn_study_result *to); /* false: no memory; NULL: a script */
    const char *what;                      /* no full stop */
    const char *why;                       /* why values differ; a sentence */
} atn_study;

extern const atn_study atn_cli_studies[];
extern const int atn_cli_study_count;
const atn_study *atn_cli_study_find(const char *name);

/* ---- results (study_result.c) ---- */

typedef struct {
    const char *name; /* of published.def: "Table 3.1" */
    char title[400];  /* "Table 3.1 (Afsahi 2000): memory ..." */
    atn_sheet sheet;
} atn_study_item;

struct atn_study_result {
    const atn_study *study;
    ATN_VEC(atn_study_item) items;
    ATN_VEC(char *) remarks;
};

/* With the published values of the items of the study. */
atn_status atn_cli_study_begin(const atn_study *study, atn_study_result *r, atn_error *err);
void atn_cli_study_end(atn_study_result *r);
/* False: no memory, or the study has no such item. */
bool atn_cli_study_put(atn_study_result *r, const char *item, const char *row, const char *column,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));
bool atn_cli_study_remark(atn_study_result *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Values that are computed and published, and how many of them agree; item -1: of all items. */
void atn_cli_study_agreement(const atn_study_result *r, int item, int *both_p, int *agree_p);
/* The lines of a script. */
atn_status atn_cli_study_take(atn_study_result *r, const char *line, atn_error *err);
/* What atn_cli_study_write wrote as csv. */
atn_status atn_cli_study_read(atn_study_result *r, const char *path, atn_error *err);

/* ---- running (study_run.c) ---- */

typedef struct {
    const char *mpi;    /* openmpi or mpich; NULL: the first that is installed */
    int seconds;        /* limit for measurements; 0: that of the study */
    const char *folder; /* for raw results; NULL: a temporary one */
} atn_study_request;

/* ATN_ENVIRONMENT: what the study needs is missing; with the remedy. */
atn_status atn_cli_study_available(const atn_study *s, const atn_study_request *q, atn_error *err);
atn_status atn_cli_study_run(const atn_study_request *q, atn_study_result *r, atn_error *err);

/* ---- output (study_write.c) ---- */

extern const char *const atn_cli_study_formats[]; /* table, csv, json, markdown */
atn_status atn_cli_study_write(FILE *f, const atn_study_result *r, const char *format,
                               bool terminal, atn_error *err);
void atn_cli_study_draw(FILE *f, const atn_study_result *r);
/* The page of all studies: an index, which has a row for every published item, and their tables.
 * results[i] belongs to study i; without items: `missing[i]` is the reason. */
atn_status atn_cli_study_page(FILE *f, const atn_study_result *results, char *const *missing,
                              const char *link, atn_error *err);

/* ---- studies without a script (study_topology.c) ---- */

bool atn_cli_study_phases(atn_study_result *to);
bool atn_cli_study_rings(atn_study_result *to);
bool atn_cli_study_trees(atn_study_result *to);

#endif
