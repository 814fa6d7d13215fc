/* machine_write.c - a machine as text (docs/machine-format.md). */
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "model/machine_private.h"

/* "~0.12": half of the 95 % interval, if known. */
static void print_half(FILE *f, double half, atn_machine_unit unit)
{
    if (half > 0)
        fprintf(f, "~%.3g", half * atn_model_machine_unit_scale(unit));
}

static void print_value(FILE *f, const atn_machine_field *d, const void *base)
{
    const void *at = (const char *)base + d->at;
    char text[32];
    switch (d->unit) {
    case ATN_UNIT_SIZE:
        fprintf(f, " %s=%s", d->key, atn_format_size(*(const int64_t *)at, text));
        break;
    case ATN_UNIT_COUNT:
        fprintf(f, " %s=%" PRId64, d->key, *(const int64_t *)at);
        break;
    case ATN_UNIT_FINGERPRINT:
        fprintf(f, " %s=%016" PRIx64, d->key, *(const uint64_t *)at);
        break;
    default:
        fprintf(f, " %s=%.9g", d->key, *(const double *)at * atn_model_machine_unit_scale(d->unit));
    }
}

static bool is_set(const atn_machine_field *d, const void *base)
{
    const void *at = (const char *)base + d->at;
    return d->unit >= ATN_UNIT_SIZE ? *(const int64_t *)at != 0 : *(const double *)at != 0;
}

/* Values with the same keyword share a line; zeros are omitted. */
static void print_fields(FILE *f, const atn_machine_field *list, int n, const void *base,
                         const double *half, const char *indent)
{
    const char *line = NULL;
    for (int i = 0; i < n; i++) {
        if (!is_set(&list[i], base))
            continue;
        if (line == NULL || strcmp(line, list[i].line) != 0)
            fprintf(f, "%s%s%s", line ? "\n" : "", indent, list[i].line);
        line = list[i].line;
        print_value(f, &list[i], base);
        print_half(f, half[i], list[i].unit);
    }
    if (line)
        fputc('\n', f);
}

static void print_table(FILE *f, const char *words, const atn_cost_table *t, atn_machine_unit unit,
                        const char *indent)
{
    char size[32];
    if (t->nsizes == 0)
        return;
    fprintf(f, "%stable %s", indent, words);
    for (int k = 0; k < t->ntaus; k++)
        fprintf(f, " %d", t->tau[k]);
    fputc('\n', f);
    for (int i = 0; i < t->nsizes; i++) {
        fprintf(f, "%s  %-6s", indent, atn_format_size(t->size[i], size));
        for (int k = 0; k < t->ntaus; k++) {
            fprintf(f, " %.9g", t->v[i][k] * atn_model_machine_unit_scale(unit));
            print_half(f, t->half[i][k], unit);
        }
        fputc('\n', f);
    }
}

static void print_tables(FILE *f, const atn_machine_table *list, int n, const void *base,
                         const char *indent)
{
    for (int i = 0; i < n; i++)
        print_table(f, list[i].name,
                    (const atn_cost_table *)(const void *)((const char *)base + list[i].at),
                    list[i].unit, indent);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const atn_note *)a)->key, ((const atn_note *)b)->key);
}

static int by_operator(const void *a, const void *b)
{
    const atn_gamma *x = *(const atn_gamma *const *)a, *y = *(const atn_gamma *const *)b;
    const int order = strcmp(x->op, y->op);
    return order != 0 ? order : strcmp(x->type, y->type);
}

static void print_gammas(FILE *f, const atn_machine *m)
{
    const atn_gamma *list[ATN_MACHINE_GAMMAS];
    char words[64];
    for (int i = 0; i < m->ngammas; i++)
        list[i] = &m->gamma[i];
    qsort(list, (size_t)m->ngammas, sizeof list[0], by_operator);
    for (int i = 0; i < m->ngammas; i++) {
        snprintf(words, sizeof words, "gamma %s %s", list[i]->op, list[i]->type);
        print_table(f, words, &list[i]->cost, ATN_UNIT_BYTE, "");
    }
}

static void print_machine(FILE *f, const atn_machine *m)
{
    atn_note notes[ATN_MACHINE_NOTES];
    memcpy(notes, m->note, sizeof notes);
    qsort(notes, (size_t)m->nnotes, sizeof notes[0], by_key);
    fprintf(f, "attune-machine %d\n", ATN_MACHINE_VERSION);
    for (int i = 0; i < m->nnotes; i++)
        fprintf(f, "%s: %s\n", notes[i].key, notes[i].value);
    print_fields(f, atn_model_global_fields, atn_nglobal_fields, m, m->half, "");
    print_tables(f, atn_model_global_tables, atn_nglobal_tables, m, "");
    print_gammas(f, m);
    for (int i = -1; (i = atn_model_machine_next(m, i)) >= 0;) {
        fprintf(f, "channel %s\n", m->channel[i].name);
        print_fields(f, atn_channel_fields, atn_nchannel_fields, &m->channel[i], m->channel[i].half,
                     "  ");
        print_tables(f, atn_channel_tables, atn_nchannel_tables, &m->channel[i], "  ");
    }
    fputs("end\n", f);
}

char *atn_model_machine_print(const atn_machine *m)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = atn_open_text(&text, &bytes);
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (f == NULL || plain == (locale_t)0) {
        if (f)
            fclose(f);
        free(text);
        return NULL;
    }
    const locale_t before = uselocale(plain);
    print_machine(f, m);
    uselocale(before);
    freelocale(plain);
    const bool failed = ferror(f);
    if (fclose(f) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}

atn_status atn_model_machine_write(const atn_machine *m, const char *path, atn_error *err)
{
    atn_status status = atn_model_machine_check(m, err);
    if (status != ATN_OK)
        return status;
    char *text = atn_model_machine_print(m);
    if (text == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    status = atn_write_file(path, text, strlen(text), err);
    free(text);
    return status;
}
