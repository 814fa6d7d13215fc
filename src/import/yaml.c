/* yaml.c - YAML and JSON, with libyaml, whose events have line numbers.  Aliases are refused: they
 * can describe billions of values in a few lines. */
#include "import/document.h"

#ifndef ATN_HAVE_YAML

void atn_import_read_yaml(atn_document *d, const char *text)
{
    (void)text;
    atn_topo_found(d->found, 0,
                   "this attune was built without libyaml, which reads YAML and JSON; install "
                   "libyaml-dev and build again, or convert the file to topology.conf elsewhere");
}

#else

#include <string.h>
#include <yaml.h>

enum { MOST_DEPTH = 64 };

typedef struct {
    atn_document *d;
    int open[MOST_DEPTH], depth; /* values that are not complete */
    char *key;                   /* of the next member of a map; NULL: it comes first */
    bool failed;
} reader;

static void fail(reader *r, const char *why, size_t line)
{
    if (!r->failed)
        atn_topo_found(r->d->found, (int)line + 1, "%s", why);
    r->failed = true;
}

static atn_import_kind kind_above(const reader *r)
{
    return r->d->values.v[r->open[r->depth]].kind;
}

static int add(reader *r, atn_import_kind kind, const char *text, size_t line)
{
    const int v = atn_import_add(r->d, r->open[r->depth], kind, r->key, text, (int)line + 1);
    free(r->key);
    r->key = NULL;
    r->failed = r->failed || v < 0;
    return v;
}

static void scalar(reader *r, const yaml_event_t *e)
{
    const char *const text = (const char *)e->data.scalar.value;
    const size_t line = e->start_mark.line;
    if (strlen(text) != e->data.scalar.length)
        fail(r, "a zero byte in a text; remove it", line);
    else if (kind_above(r) == ATN_VALUE_MAP && r->key == NULL)
        r->failed = (r->key = strdup(text)) == NULL || r->failed;
    else
        add(r, ATN_VALUE_TEXT, text, line);
}

static void begin(reader *r, atn_import_kind kind, size_t line)
{
    if (kind_above(r) == ATN_VALUE_MAP && r->key == NULL) {
        fail(r, "a list or map as a key; keys are words", line);
        return;
    }
    if (r->depth + 1 == MOST_DEPTH) {
        fail(r, "lists and maps inside of each other, more than 60 levels; write fewer", line);
        return;
    }
    const int v = add(r, kind, NULL, line);
    r->open[++r->depth] = v;
}

static void take(reader *r, const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_SCALAR_EVENT:
        scalar(r, e);
        break;
    case YAML_SEQUENCE_START_EVENT:
        begin(r, ATN_VALUE_LIST, e->start_mark.line);
        break;
    case YAML_MAPPING_START_EVENT:
        begin(r, ATN_VALUE_MAP, e->start_mark.line);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        r->depth--;
        break;
    case YAML_ALIAS_EVENT:
        fail(r, "an alias (*NAME); write the value itself", e->start_mark.line);
        break;
    default:
        break;
    }
}

static void read_all(reader *r, yaml_parser_t *p)
{
    yaml_event_t e;
    for (bool end = false; !end && !r->failed;) {
        if (!yaml_parser_parse(p, &e)) {
            char why[200];
            snprintf(why, sizeof why, "neither YAML nor JSON: %s; correct it",
                     p->problem ? p->problem : "unreadable");
            fail(r, why, p->problem_mark.line);
            return;
        }
        take(r, &e);
        end = e.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&e);
    }
}

void atn_import_read_yaml(atn_document *d, const char *text)
{
    reader r = {.d = d};
    yaml_parser_t p;
    if (atn_import_add(d, -1, ATN_VALUE_LIST, NULL, NULL, 1) < 0 || !yaml_parser_initialize(&p)) {
        d->found->no_memory = true;
        return;
    }
    yaml_parser_set_input_string(&p, (const unsigned char *)text, strlen(text));
    read_all(&r, &p);
    yaml_parser_delete(&p);
    free(r.key);
}

#endif
