/* document.c - see document.h. */
#include "import/document.h"

#include <stdlib.h>
#include <string.h>

int atn_import_add(atn_document *d, int parent, atn_import_kind kind, const char *key,
                   const char *text, int line)
{
    const int n = d->values.n;
    const atn_import_value v = {.kind = kind,
                                .key = key ? strdup(key) : NULL,
                                .text = text ? strdup(text) : NULL,
                                .line = line,
                                .first = -1,
                                .last = -1,
                                .next = -1};
    if ((key && !v.key) || (text && !v.text) || !atn_push(&d->values, v)) {
        free(v.key);
        free(v.text);
        d->found->no_memory = true;
        return -1;
    }
    if (parent >= 0) {
        const int before = d->values.v[parent].last;
        *(before < 0 ? &d->values.v[parent].first : &d->values.v[before].next) = n;
        d->values.v[parent].last = n;
    }
    return n;
}

void atn_import_document_free(atn_document *d)
{
    for (int i = 0; i < d->values.n; i++) {
        free(d->values.v[i].key);
        free(d->values.v[i].text);
    }
    atn_vec_free(&d->values);
}

const atn_import_value *atn_import_member(const atn_document *d, const atn_import_value *map,
                                          const char *key)
{
    if (map == NULL || map->kind != ATN_VALUE_MAP)
        return NULL;
    const atn_import_value *v = atn_import_first(d, map);
    while (v != NULL && (v->key == NULL || strcmp(v->key, key) != 0))
        v = atn_import_next(d, v);
    return v;
}

const char *atn_import_text(const atn_document *d, const atn_import_value *map, const char *key)
{
    const atn_import_value *const v = atn_import_member(d, map, key);
    return v != NULL && v->kind == ATN_VALUE_TEXT ? v->text : NULL;
}
