/* findings.c - a list of reports with their lines. */
#include "topo/findings.h"

#include <stdarg.h>
#include <stdlib.h>

static void add(atn_findings *f, int line, bool remark, const char *format, va_list args)
{
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0 ||
        !atn_push(&f->list, (atn_finding){line, remark, text})) {
        free(text);
        f->no_memory = true;
        return;
    }
    f->wrong += !remark;
}

void atn_topo_found(atn_findings *f, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(f, line, false, format, args);
    va_end(args);
}

void atn_topo_remark(atn_findings *f, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(f, line, true, format, args);
    va_end(args);
}

/* Insertion keeps the order within a line; lists are short. */
void atn_topo_findings_sort(atn_findings *f)
{
    for (int i = 1; i < f->list.n; i++) {
        const atn_finding moved = f->list.v[i];
        int at = i;
        for (; at > 0 && f->list.v[at - 1].line > moved.line; at--)
            f->list.v[at] = f->list.v[at - 1];
        f->list.v[at] = moved;
    }
}

void atn_topo_findings_print(FILE *out, const atn_findings *f)
{
    for (int i = 0; i < f->list.n; i++) {
        const atn_finding *one = &f->list.v[i];
        fputs(f->file, out);
        if (one->line > 0)
            fprintf(out, ":%d", one->line);
        fprintf(out, ": %s%s\n", one->remark ? "note: " : "", one->text);
    }
}

atn_status atn_topo_findings_fail(const atn_findings *f, atn_error *err)
{
    if (f->no_memory)
        return atn_fail(err, ATN_MEMORY, "%s: out of memory", f->file);
    const atn_finding *first = NULL;
    for (int i = 0; i < f->list.n; i++)
        if (!f->list.v[i].remark && (first == NULL || f->list.v[i].line < first->line))
            first = &f->list.v[i];
    if (first == NULL)
        return ATN_OK;
    if (first->line > 0)
        return atn_fail(err, ATN_INPUT, "%s:%d: %s", f->file, first->line, first->text);
    return atn_fail(err, ATN_INPUT, "%s: %s", f->file, first->text);
}

void atn_topo_findings_free(atn_findings *f)
{
    for (int i = 0; i < f->list.n; i++)
        free(f->list.v[i].text);
    atn_vec_free(&f->list);
}
