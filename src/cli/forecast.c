/* forecast.c - see forecast.h. */
#include "cli/forecast.h"

#include <stdlib.h>
#include <string.h>

#include "plan/settings.h"

atn_status atn_cli_forecast_load(const atn_args *a, const atn_topo *t, atn_machine **machine_p,
                                 atn_error *err)
{
    const char *file = atn_cli_arg_text(a, "machine");
    if (file == NULL || strcmp(file, "builtin") == 0) {
        *machine_p = atn_model_machine_assumed(t);
        return *machine_p ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
    }
    atn_machine *m = NULL;
    const atn_status st = atn_model_machine_read(file, &m, err);
    const char *why = st ? NULL : atn_model_machine_refuses(m, t);
    if (why) {
        atn_model_machine_free(m);
        return atn_fail(err, ATN_INPUT, "%s: %s", file, why);
    }
    if (st)
        return st;
    m->unshared = atn_plan_setting_own(ATN_SET_TRANSPORT) == ATN_TRANSPORT_MPI;
    *machine_p = m;
    return ATN_OK;
}

atn_status atn_cli_forecast_place(const atn_args *a, atn_topo **topo_p, atn_error *err)
{
    const char *map = atn_cli_arg_text(a, "map");
    atn_topo *placed = NULL;
    if (map == NULL)
        return ATN_OK;
    if (*topo_p == NULL)
        return atn_fail(err, ATN_USAGE, "--map %s: requires --topology", map);
    const atn_status st = atn_topo_order(*topo_p, map, &placed, err);
    if (st)
        return st;
    atn_topo_free(*topo_p);
    *topo_p = placed;
    return ATN_OK;
}

atn_status atn_cli_forecast_sharing(const atn_machine *m, const atn_topo *t, atn_sharing *sharing_p,
                                    atn_error *err)
{
    const char *const name = atn_plan_setting_get(ATN_SET_TRANSPORT)->name;
    const char *const text = getenv(name);
    atn_settings s;
    atn_plan_settings_default(&s);
    const atn_status st =
        atn_plan_settings_set(&s, ATN_SET_TRANSPORT, text ? text : "", ATN_FROM_ENVIRONMENT, err);
    const bool mpi = atn_plan_setting_number(&s, ATN_SET_TRANSPORT) == ATN_TRANSPORT_MPI;
    atn_plan_settings_free(&s);
    const bool one_host = t == NULL && m->nchannels == 1;
    if (!st)
        *sharing_p = mpi        ? ATN_SHARED_NONE
                     : one_host ? ATN_SHARED_ALL
                     : t        ? ATN_SHARED_HOSTS
                                : ATN_SHARED_NONE;
    return st;
}

/* ---- problems ---- */

static atn_status bad_problem(const char *text, const char *why, atn_error *err)
{
    return atn_fail(err, ATN_USAGE,
                    "problem '%.80s': %s; write operation:ranks:bytes, such as "
                    "allreduce:32:64K:f64:sum or bcast:16:1M",
                    text, why);
}

/* Root of a rooted operation, or datatype and operator of a reduction. */
static atn_status read_rest(const char *text, char *words[2], atn_forecast *f, atn_error *err)
{
    const unsigned flags = atn_sched_operation_get(f->q.op)->flags;
    for (int i = 0; i < 2 && words[i]; i++) {
        int64_t root;
        if (atn_parse_size(words[i], &root)) {
            if (!(flags & ATN_ROOTED) || root >= f->q.p)
                return bad_problem(text, "the root is out of range, or the operation has none",
                                   err);
            f->q.root = (int)root;
        } else if (!(flags & ATN_TYPED)) {
            return bad_problem(text, "only reductions have a datatype and an operator", err);
        } else {
            snprintf(i == 0 ? f->type : f->op, sizeof f->type, "%s", words[i]);
        }
    }
    return ATN_OK;
}

static atn_status read_words(const char *text, char *words[5], const atn_topo *t, atn_forecast *f,
                             atn_error *err)
{
    int64_t ranks = t ? t->p : 0;
    const atn_status st = atn_cli_lookup_operation(words[0], &f->q.op, err);
    if (st)
        return st;
    if (words[1] && *words[1] && !atn_parse_size(words[1], &ranks))
        return bad_problem(text, "the second field is not a number of ranks", err);
    if (ranks < 2 || ranks > ATN_RANKS_MAX)
        return bad_problem(text, "at least two ranks, or a topology, are required", err);
    if (t && ranks != t->p)
        return atn_fail(err, ATN_USAGE, "problem '%.80s': the topology has %d ranks", text, t->p);
    if (!words[2] || !atn_parse_size(words[2], &f->q.bytes))
        return bad_problem(text, "the third field is not a size", err);
    if (f->q.bytes > ATN_CLI_BYTES_MAX)
        return bad_problem(text, "the size exceeds 1024T", err);
    f->q.p = (int)ranks;
    f->q.segments = 1;
    f->q.topo = t;
    return read_rest(text, words + 3, f, err);
}

atn_status atn_cli_forecast_parse(const char *text, const atn_topo *t, atn_forecast *f_p,
                                  atn_error *err)
{
    char copy[128], *rest = copy, *words[6] = {NULL};
    atn_forecast f = {0};
    if ((size_t)snprintf(copy, sizeof copy, "%s", text) >= sizeof copy)
        return bad_problem(text, "too long", err);
    for (int i = 0; i < 6 && rest; i++)
        words[i] = strsep(&rest, ":");
    if (words[5])
        return bad_problem(text, "too many fields", err);
    const atn_status st = read_words(text, words, t, &f, err);
    if (!st)
        *f_p = f;
    return st;
}

const char *atn_cli_forecast_time(double seconds, char out[32])
{
    static const struct {
        double below, factor;
        const char *unit;
    } units[] = {{1e-6, 1e9, "ns"}, {1e-3, 1e6, "us"}, {1, 1e3, "ms"}, {1e300, 1, "s"}};
    int i = 0;
    while (seconds >= units[i].below)
        i++;
    snprintf(out, 32, "%.3g %s", seconds * units[i].factor, units[i].unit);
    return out;
}
