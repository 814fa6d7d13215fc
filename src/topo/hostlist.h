/* hostlist.h - Slurm's short form of many names: n[0-3,7],rack[1-2]n[01-16]. */
#ifndef ATN_TOPO_HOSTLIST_H
#define ATN_TOPO_HOSTLIST_H

#include "base/base.h"

typedef ATN_VEC(char *) atn_name_list;

/* Letters, digits, - _ . : / */
bool atn_topo_is_name_char(char c);
/* Whether lists can hold it: such characters, 1 to 255 of them. */
bool atn_topo_is_name(const char *name);
#define ATN_NAME_REMEDY "names have letters, digits, - _ . : / and no blanks; rename it"

void atn_topo_name_list_free(atn_name_list *list);

/* Appends the names in order.  The error message describes the fault, without position. */
atn_status atn_topo_hostlist_expand(const char *text, atn_name_list *list, atn_error *err);
/* Names in this order as one list; runs that count up are folded into ranges. */
void atn_topo_hostlist_print(FILE *f, const char *const *names, int n);
/* The same as text; caller frees; NULL: out of memory. */
char *atn_topo_hostlist_text(const char *const *names, int n);
/* The same for lists with repetition: n[0-3]*2 is n0,n0,n1,n1,n2,n2,n3,n3.
 * Printing gives false when there is no memory. */
atn_status atn_topo_ranklist_expand(const char *text, atn_name_list *list, atn_error *err);
bool atn_topo_ranklist_print(FILE *f, const char *const *names, int n);
/* Compares names the way people count: n2 before n10. */
int atn_topo_name_compare(const char *a, const char *b);

#endif
