/* xml.c - XML, with Expat.  Entities of a document type are not expanded: they can describe
 * billions of elements in a few lines. */
#include "import/document.h"

#ifndef ATN_HAVE_EXPAT

void atn_import_read_xml(atn_document *d, const char *text)
{
    (void)text;
    atn_topo_found(d->found, 0,
                   "this attune was built without Expat, which reads XML; install libexpat1-dev "
                   "and build again, or convert the file to topology.conf elsewhere");
}

#else

#include <expat.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 64 };

typedef struct {
    atn_document *d;
    XML_Parser parser;
    int open[MOST_DEPTH], depth;
    bool failed;
} reader;

static void stop(reader *r)
{
    r->failed = true;
    XML_StopParser(r->parser, XML_FALSE);
}

static void XMLCALL begin(void *data, const char *name, const char **attributes)
{
    reader *r = data;
    const int line = (int)XML_GetCurrentLineNumber(r->parser);
    if (r->depth + 1 == MOST_DEPTH) {
        atn_topo_found(r->d->found, line,
                       "elements inside of each other, more than 60 levels; write fewer");
        stop(r);
        return;
    }
    const int v = atn_import_add(r->d, r->open[r->depth], ATN_VALUE_MAP, name, NULL, line);
    bool done = v >= 0;
    for (int i = 0; done && attributes[i] != NULL; i += 2)
        done = atn_import_add(r->d, v, ATN_VALUE_TEXT, attributes[i], attributes[i + 1], line) >= 0;
    if (done)
        r->open[++r->depth] = v;
    else
        stop(r);
}

static void XMLCALL end(void *data, const char *name)
{
    (void)name;
    ((reader *)data)->depth--;
}

/* The text of an element, in parts; blanks between elements are none. */
static void XMLCALL characters(void *data, const char *text, int n)
{
    reader *r = data;
    atn_import_value *const v = &r->d->values.v[r->open[r->depth]];
    const size_t old = v->text ? strlen(v->text) : 0;
    if (old == 0 && strspn(text, " \t\r\n") >= (size_t)n)
        return;
    char *more = realloc(v->text, old + (size_t)n + 1);
    if (more == NULL) {
        r->d->found->no_memory = true;
        stop(r);
        return;
    }
    memcpy(more + old, text, (size_t)n);
    more[old + (size_t)n] = '\0';
    v->text = more;
}

static void XMLCALL entity(void *data, const char *name, int parameter, const char *value,
                           int bytes, const char *base, const char *system, const char *public_id,
                           const char *notation)
{
    reader *r = data;
    (void)parameter, (void)value, (void)bytes, (void)base, (void)system, (void)public_id,
        (void)notation;
    atn_topo_found(r->d->found, (int)XML_GetCurrentLineNumber(r->parser),
                   "an entity (%.40s); write its text instead", name);
    stop(r);
}

void atn_import_read_xml(atn_document *d, const char *text)
{
    reader r = {.d = d, .parser = XML_ParserCreate(NULL)};
    if (r.parser == NULL || atn_import_add(d, -1, ATN_VALUE_LIST, NULL, NULL, 1) < 0) {
        d->found->no_memory = true;
        return;
    }
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, begin, end);
    XML_SetCharacterDataHandler(r.parser, characters);
    XML_SetEntityDeclHandler(r.parser, entity);
    if (XML_Parse(r.parser, text, (int)strlen(text), XML_TRUE) != XML_STATUS_OK && !r.failed)
        atn_topo_found(d->found, (int)XML_GetCurrentLineNumber(r.parser), "not XML: %s; correct it",
                       XML_ErrorString(XML_GetErrorCode(r.parser)));
    XML_ParserFree(r.parser);
}

#endif
