/* parcel.c - see parcel.h. */
#include "pmpi/parcel.h"

#include <stdlib.h>
#include <string.h>

#include "exec/place.h"
#include "pmpi/tuned.h"
#include "pmpi/wise.h"

extern char **environ;

/* ---- opened by every rank ---- */

static uint32_t operations_with_work(const atn_job *job)
{
    const uint32_t all = (1u << ATN_OPERATIONS) - 1;
    return job->observed ? all
                         : atn_rules_operations(job->rules) | atn_wise_operations(job->wisdom) |
                               atn_reproducible_operations();
}

static void take_settings(atn_job *job)
{
    const atn_settings *const s = &job->settings;
    job->first = (int)atn_setting_number(s, ATN_SET_FIRST);
    job->check = atn_setting_number(s, ATN_SET_CHECK) != 0;
    job->reproducible = atn_setting_number(s, ATN_SET_REPRODUCIBLE) != 0;
    job->watchdog = (int)atn_setting_number(s, ATN_SET_WATCHDOG);
    job->verbose = (int)atn_setting_number(s, ATN_SET_VERBOSE);
    job->report = atn_setting_report(s);
    job->record = atn_setting_given(s, ATN_SET_RECORD);
    job->foresees = atn_setting_number(s, ATN_SET_FORESEE) != 0;
    job->observed = job->check || job->watchdog > 0 || job->report != NULL || job->record != NULL;
    job->forced = atn_rules_forced(job->rules) | atn_reproducible_operations();
    job->lasting = !atn_rules_per_call(job->rules);
    job->work = operations_with_work(job);
    job->yield = job->work != 0 && atn_setting_number(s, ATN_SET_YIELD) == ATN_YIELD_ALWAYS;
}

static bool open_parts(atn_job *job, const atn_parcel *q)
{
    const int64_t *const size = q->head.size;
    if (atn_settings_unpack(&job->settings, q->part[ATN_PART_SETTINGS],
                            (size_t)size[ATN_PART_SETTINGS], NULL) != ATN_OK ||
        atn_rules_unpack(q->part[ATN_PART_RULES], (size_t)size[ATN_PART_RULES], &job->rules,
                         NULL) != ATN_OK ||
        !atn_wise_open(job, q->part[ATN_PART_WISDOM], (size_t)size[ATN_PART_WISDOM]))
        return false;
    const uint64_t parts[] = {atn_settings_hash(&job->settings), atn_rules_hash(job->rules),
                              atn_rules_hash(job->wisdom)};
    job->hash = atn_hash(parts, sizeof parts, 0);
    take_settings(job);
    atn_tuned_settle(job);
    return true;
}

/* ---- read by one rank ---- */

static void put(atn_parcel *q, int part, char *bytes, size_t size)
{
    q->part[part] = bytes;
    q->head.size[part] = (int64_t)size;
}

/* Bad rules leave native everywhere, but other settings hold. */
static atn_status pack_rules(const atn_settings *s, atn_parcel *q, atn_error *err)
{
    atn_rules *rules = NULL;
    atn_error bad = {0};
    char *bytes = NULL;
    size_t size = 0;
    if (atn_rules_load(atn_setting_given(s, ATN_SET_RULES), atn_setting_given(s, ATN_SET_ALGORITHM),
                       atn_setting_text(s, ATN_SET_SELECT), &rules, &bad) != ATN_OK) {
        atn_say("%s; native algorithms are used", bad.text);
        rules = atn_rules_empty();
    }
    const atn_status status = rules == NULL ? atn_fail(err, ATN_MEMORY, "out of memory")
                                            : atn_rules_pack(rules, &bytes, &size, err);
    put(q, ATN_PART_RULES, bytes, size);
    atn_rules_free(rules);
    return status;
}

static atn_status pack_wisdom(const atn_settings *s, atn_parcel *q, atn_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    const atn_status status = atn_wise_pack(s, &bytes, &size, err);
    put(q, ATN_PART_WISDOM, bytes, size);
    return status;
}

/* What every rank opens in the same way. */
static atn_status pack_choices(atn_parcel *q, atn_error *err)
{
    atn_settings s;
    char *warning = NULL, *bytes = NULL;
    size_t size = 0;
    atn_settings_default(&s);
    atn_status status = atn_settings_environ(&s, environ, &warning, err);
    if (warning != NULL)
        fputs(warning, stderr);
    if (status == ATN_OK)
        status = atn_settings_pack(&s, &bytes, &size, err);
    put(q, ATN_PART_SETTINGS, bytes, size);
    if (status == ATN_OK)
        status = pack_rules(&s, q, err);
    if (status == ATN_OK)
        status = pack_wisdom(&s, q, err);
    free(warning);
    atn_settings_free(&s);
    return status;
}

/* A topology that cannot be read is none. */
static void pack_places(const atn_job *job, atn_parcel *q)
{
    const char *const name = atn_topology_of(job);
    atn_error err = {0};
    char *const text = name != NULL ? atn_place_text(name, &err) : NULL;
    if (text != NULL)
        put(q, ATN_PART_TOPOLOGY, text, strlen(text) + 1);
    else if (name != NULL)
        atn_say("%s; no topology is used", err.text);
    q->head.meets = text != NULL || atn_asks_for_crowds(job);
}

static void pack_machine(const atn_job *job, atn_parcel *q)
{
    char *const text = atn_rules_plan(job->rules) ? atn_machine_named(job) : NULL;
    if (text != NULL)
        put(q, ATN_PART_MACHINE, text, strlen(text));
}

static int64_t total(const atn_parcel *q)
{
    int64_t bytes = sizeof q->head;
    for (int i = 0; i < ATN_PARTS; i++)
        bytes += q->head.size[i];
    return bytes;
}

/* Where the parts are among the bytes. */
static void find_parts(atn_parcel *q)
{
    const char *at = q->bytes + sizeof q->head;
    for (int i = 0; i < ATN_PARTS; at += q->head.size[i++])
        q->part[i] = at;
}

/* Puts the parts together, which all were memory of their own. */
static bool seal(atn_parcel *q)
{
    char *at = q->bytes = malloc((size_t)total(q));
    if (at == NULL)
        return false;
    memcpy(at, &q->head, sizeof q->head);
    at += sizeof q->head;
    for (int i = 0; i < ATN_PARTS; at += q->head.size[i++])
        if (q->head.size[i] > 0)
            memcpy(at, q->part[i], (size_t)q->head.size[i]);
    return true;
}

int64_t atn_parcel_read(atn_job *job, atn_parcel *q)
{
    atn_parcel loose = {0};
    atn_error err = {0};
    bool done = pack_choices(&loose, &err) == ATN_OK;
    if (done && (done = open_parts(job, &loose))) {
        pack_places(job, &loose);
        pack_machine(job, &loose);
        done = seal(&loose);
    }
    for (int i = 0; i < ATN_PARTS; i++)
        free((char *)loose.part[i]);
    if (!done) {
        atn_say("%s; everything stays native", *err.text != '\0' ? err.text : "out of memory");
        return -1;
    }
    *q = (atn_parcel){.head = loose.head, .bytes = loose.bytes};
    find_parts(q);
    return total(q);
}

/* ---- sent ---- */

/* In portions, so that a rank without memory can still take part. */
static bool send_bytes(char *bytes, int64_t n, atn_parcel_head *head_p)
{
    enum { PORTION = 1 << 16 };
    static char nowhere[PORTION];
    bool sent = true;
    for (int64_t at = 0; at < n && sent; at += PORTION) {
        char *const portion = bytes != NULL ? bytes + at : nowhere;
        const int some = n - at < PORTION ? (int)(n - at) : PORTION;
        sent = atn_real.Bcast(portion, some, MPI_CHAR, 0, MPI_COMM_WORLD) == MPI_SUCCESS;
        if (at == 0)
            memcpy(head_p, portion, sizeof *head_p);
    }
    return sent;
}

bool atn_parcel_share(atn_job *job, int64_t bytes, atn_parcel *q)
{
    if (job->r != 0)
        q->bytes = malloc((size_t)bytes);
    const bool sent = send_bytes(q->bytes, bytes, &q->head);
    if (job->r == 0 || !sent || q->bytes == NULL)
        return sent && q->bytes != NULL;
    find_parts(q);
    return open_parts(job, q);
}

void atn_parcel_free(atn_parcel *q) { free(q->bytes); }
