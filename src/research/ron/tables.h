/* tables.h - the published tables 5.1 to 5.6 of collectives on RON(k, N).
 *
 * Two entries have misprints: tables 5.2 and 5.4 have 22703 ranks, but their times are those of
 * 22073, the number that four ports reach in seven steps; and table 5.6 has 1466 where its formula
 * gives 1488. */
#ifndef ATN_RESEARCH_RON_TABLES_H
#define ATN_RESEARCH_RON_TABLES_H

#include "research/ron/forms.h"

typedef struct {
    const char *table, *form; /* "5.1", "B4" */
    int ports, delay;
    int ranks, more;            /* more: as in atn_ron_form */
    int printed_ranks, printed; /* as published */
} atn_ron_entry;

int atn_ron_entries(void);
atn_ron_entry atn_ron_entry_at(int i);

#endif
