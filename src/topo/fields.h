/* fields.h - lines of key=value words, as Slurm writes them. */
#ifndef ATN_TOPO_FIELDS_H
#define ATN_TOPO_FIELDS_H

#include "topo/findings.h"

/* A key that may stand on the line; `value` is set to its text, or stays NULL. */
typedef struct {
    const char *key; /* in either case */
    char *value;
} atn_line_field;

/* Takes `text` apart (it is changed).  Blanks may surround the =, the value may be in quotes.  What
 * is no key=value, an unknown or a doubled key is reported; true: nothing was. */
bool atn_topo_fields_read(char *text, atn_line_field *fields, int n, atn_findings *found, int line);

/* The next line of a text without its end, as a copy; `*line_p` counts.  With `joined`, lines that
 * end in a backslash are continued by the next.  NULL: the end, or no memory (reported). */
char *atn_topo_next_line(const char **at_p, int *line_p, bool joined, atn_findings *found);

/* A rate or delay of a field: 0 when it is not there; what cannot be read is reported. */
int64_t atn_topo_field_rate(const atn_line_field *field, atn_findings *found, int line);
int64_t atn_topo_field_delay(const atn_line_field *field, atn_findings *found, int line);

#endif
