/* document.h - YAML, JSON (which is YAML) and XML as a tree of values with their lines. */
#ifndef ATN_IMPORT_DOCUMENT_H
#define ATN_IMPORT_DOCUMENT_H

#include "topo/findings.h"

typedef enum { ATN_VALUE_TEXT, ATN_VALUE_LIST, ATN_VALUE_MAP } atn_import_kind;

/* The members of a list or map follow each other: `first` is the first one, `next` the one behind;
 * -1: none. */
typedef struct {
    atn_import_kind kind;
    char *key;  /* of a member of a map; the name of an XML element */
    char *text; /* of a text */
    int line, first, last, next;
} atn_import_value;

typedef struct {
    ATN_VEC(atn_import_value) values; /* the first one is a list of all documents */
    atn_findings *found;
} atn_document;

/* Reports what is wrong, also that Attune was built without the library. */
void atn_import_read_yaml(atn_document *d, const char *text);
/* An element is a map: its attributes, then the elements in it. */
void atn_import_read_xml(atn_document *d, const char *text);
void atn_import_document_free(atn_document *d);

static inline const atn_import_value *atn_import_at(const atn_document *d, int i)
{
    return i < 0 ? NULL : &d->values.v[i];
}
static inline const atn_import_value *atn_import_first(const atn_document *d,
                                                       const atn_import_value *v)
{
    return v == NULL ? NULL : atn_import_at(d, v->first);
}
static inline const atn_import_value *atn_import_next(const atn_document *d,
                                                      const atn_import_value *v)
{
    return atn_import_at(d, v->next);
}
/* The member of a map with this key; NULL: none, or it is no map. */
const atn_import_value *atn_import_member(const atn_document *d, const atn_import_value *map,
                                          const char *key);
/* The text of that member; NULL: none, or it is no text. */
const char *atn_import_text(const atn_document *d, const atn_import_value *map, const char *key);

/* For readers: a new value in another one (-1: the first of all); -1: out of memory (reported). */
int atn_import_add(atn_document *d, int parent, atn_import_kind kind, const char *key,
                   const char *text, int line);

#endif
