/* findings.h - all that is wrong with a text, not only the first thing.
 *
 * Readers report here and go on with the next line; the first report becomes the error of a load,
 * all of them are what `attune topo check` prints. */
#ifndef ATN_TOPO_FINDINGS_H
#define ATN_TOPO_FINDINGS_H

#include "base/base.h"

typedef struct {
    int line;    /* 0: the text as a whole */
    bool remark; /* true: worth knowing, not wrong */
    char *text;  /* "what, why, remedy" */
} atn_finding;

typedef struct {
    const char *file; /* in messages; not owned */
    ATN_VEC(atn_finding) list;
    int wrong; /* findings that are no remarks */
    bool no_memory;
} atn_findings;

void atn_topo_found(atn_findings *f, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void atn_topo_remark(atn_findings *f, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* By line, in the order found within a line. */
void atn_topo_findings_sort(atn_findings *f);
void atn_topo_findings_print(FILE *out, const atn_findings *f);
/* The first wrong one as an error; ATN_OK when there is none. */
atn_status atn_topo_findings_fail(const atn_findings *f, atn_error *err);
void atn_topo_findings_free(atn_findings *f);

#endif
