/* survey_report.c - see survey.h. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/survey.h"
#include "report/table.h"

#define COUNTS                                                                                     \
    {"channel", ATN_CELL_TEXT}, {"observed", ATN_CELL_TEXT}, {"points", ATN_CELL_NUMBER},          \
        {"samples", ATN_CELL_NUMBER}, {"spread_pct", ATN_CELL_NUMBER},                             \
    {                                                                                              \
        "worst_pct", ATN_CELL_NUMBER                                                               \
    }

/* People read one text, programs three fields. */
static const atn_column joined[] = {COUNTS, {"least_certain", ATN_CELL_TEXT}};
static const atn_column apart[] = {
    COUNTS,
    {"least_bytes", ATN_CELL_NUMBER},
    {"least_concurrency", ATN_CELL_NUMBER},
    {"least_what", ATN_CELL_TEXT},
};

typedef struct {
    int points, samples;
    double sum, worst;
    const atn_observation *least;
} tally;

static tally count(const atn_survey *s, int channel, atn_obs_kind kind)
{
    tally t = {0};
    for (int i = 0; i < s->seen.n; i++) {
        const atn_observation *o = &s->seen.v[i];
        if (o->channel != channel || o->kind != kind)
            continue;
        const double spread = 100 * atn_spread(o->value);
        t.points++;
        t.samples += o->samples;
        t.sum += spread;
        if (t.least == NULL || spread > t.worst) {
            t.worst = spread;
            t.least = o;
        }
    }
    return t;
}

/* "64K x 4 sum.f64" */
static void put_least(atn_table *table, const atn_observation *o)
{
    char size[32], tau[16] = "";
    if (o->tau > 1)
        snprintf(tau, sizeof tau, " x %d", o->tau);
    atn_report_cell(table, "%s%s%s%s", atn_format_size(o->bytes, size), tau,
                    o->what[0] == '-' ? "" : " ", o->what[0] == '-' ? "" : o->what);
}

static void put_least_apart(atn_table *table, const atn_observation *o)
{
    atn_report_cell(table, "%" PRId64, o->bytes);
    atn_report_cell(table, "%d", o->tau);
    atn_report_cell(table, "%s", o->what[0] == '-' ? "" : o->what);
}

static void put_row(atn_table *table, const atn_survey *s, int channel, atn_obs_kind kind)
{
    const tally t = count(s, channel, kind);
    if (t.points == 0)
        return;
    atn_report_cell(table, "%s", channel < 0 ? "" : s->channels.v[channel].name);
    atn_report_cell(table, "%s", atn_model_obs_names[kind]);
    atn_report_cell(table, "%d", t.points);
    atn_report_cell(table, "%d", t.samples);
    atn_report_cell(table, "%.1f", t.sum / t.points);
    atn_report_cell(table, "%.1f", t.worst);
    if (table->columns == joined)
        put_least(table, t.least);
    else
        put_least_apart(table, t.least);
}

atn_status atn_cli_survey_report(FILE *f, const atn_survey *s, const char *format, bool terminal,
                                 atn_error *err)
{
    const bool people = strcmp(format, "table") == 0 || strcmp(format, "markdown") == 0;
    atn_table table = {.columns = people ? joined : apart,
                       .ncolumns =
                           people ? sizeof joined / sizeof *joined : sizeof apart / sizeof *apart};
    for (int c = -1; c < s->channels.n; c++)
        for (int k = 0; k < ATN_OBS_KINDS; k++)
            put_row(&table, s, c, (atn_obs_kind)k);
    const atn_status status = atn_report_table_write(f, &table, format, terminal, err);
    atn_report_table_free(&table);
    return status;
}
