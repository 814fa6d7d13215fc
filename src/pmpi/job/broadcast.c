/* broadcast.c - see broadcast.h. */
#include "pmpi/job/broadcast.h"

#include <stdlib.h>
#include <string.h>

#include "exec/place.h"
#include "pmpi/job/calibration.h"
#include "pmpi/job/machine.h"
#include "pmpi/job/placement.h"
#include "pmpi/job/settings.h"
#include "pmpi/job/wisdom.h"
#include "pmpi/own.h"

extern char **environ;

/* ---- opening, on every rank ---- */

static bool open_parts(atn_job *job, const atn_broadcast *q)
{
    const int64_t *const size = q->head.size;
    if (atn_plan_settings_unpack(&job->settings, q->part[ATN_PART_SETTINGS],
                                 (size_t)size[ATN_PART_SETTINGS], NULL) != ATN_OK ||
        atn_plan_rules_unpack(q->part[ATN_PART_RULES], (size_t)size[ATN_PART_RULES], &job->rules,
                              NULL) != ATN_OK ||
        !atn_job_wisdom_open(job, q->part[ATN_PART_WISDOM], (size_t)size[ATN_PART_WISDOM]))
        return false;
    const uint64_t parts[] = {atn_plan_settings_hash(&job->settings),
                              atn_plan_rules_hash(job->rules), atn_plan_rules_hash(job->wisdom)};
    job->hash = atn_hash(parts, sizeof parts, 0);
    job->calibrated = size[ATN_PART_CALIBRATION] > 0;
    atn_job_settings_apply(job);
    return true;
}

/* ---- reading, on rank 0 ---- */

static void put(atn_broadcast *q, int part, char *bytes, size_t size)
{
    q->part[part] = bytes;
    q->head.size[part] = (int64_t)size;
}

/* With invalid rules every operation is native; the other settings hold. */
static atn_status pack_rules(const atn_settings *s, atn_broadcast *q, atn_error *err)
{
    atn_rules *rules = NULL;
    atn_error bad = {0};
    char *bytes = NULL;
    size_t size = 0;
    if (atn_plan_rules_load(atn_plan_setting_given(s, ATN_SET_RULES),
                            atn_plan_setting_given(s, ATN_SET_ALGORITHM),
                            atn_plan_setting_text(s, ATN_SET_SELECT), &rules, &bad) != ATN_OK) {
        atn_interpose_print_line("%s; native algorithms are used", bad.text);
        rules = atn_plan_rules_empty();
    }
    const atn_status status = rules == NULL ? atn_fail(err, ATN_MEMORY, "out of memory")
                                            : atn_plan_rules_pack(rules, &bytes, &size, err);
    put(q, ATN_PART_RULES, bytes, size);
    atn_plan_rules_free(rules);
    return status;
}

static atn_status pack_wisdom(const atn_settings *s, atn_broadcast *q, atn_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    const atn_status status = atn_job_wisdom_pack(s, &bytes, &size, err);
    put(q, ATN_PART_WISDOM, bytes, size);
    return status;
}

/* The parts that every rank opens in the same way. */
static atn_status pack_choices(atn_broadcast *q, atn_error *err)
{
    atn_settings s;
    char *warning = NULL, *bytes = NULL;
    size_t size = 0;
    atn_plan_settings_default(&s);
    atn_status status = atn_plan_settings_environ(&s, environ, &warning, err);
    if (warning != NULL)
        fputs(warning, stderr);
    if (status == ATN_OK)
        status = atn_plan_settings_pack(&s, &bytes, &size, err);
    put(q, ATN_PART_SETTINGS, bytes, size);
    if (status == ATN_OK)
        status = pack_rules(&s, q, err);
    if (status == ATN_OK)
        status = pack_wisdom(&s, q, err);
    free(warning);
    atn_plan_settings_free(&s);
    return status;
}

static void pack_calibration(atn_job *job, atn_broadcast *q)
{
    size_t bytes = 0;
    char *const text = atn_job_calibration_text(job, &bytes);
    if (text != NULL)
        put(q, ATN_PART_CALIBRATION, text, bytes);
    job->calibrated = text != NULL;
}

/* Without a readable topology the job has none. */
static void pack_topology(const atn_job *job, atn_broadcast *q)
{
    const char *const name = atn_job_topology_name(job);
    atn_error err = {0};
    char *const text = name != NULL ? atn_exec_place_text(name, &err) : NULL;
    if (text != NULL)
        put(q, ATN_PART_TOPOLOGY, text, strlen(text) + 1);
    else if (name != NULL)
        atn_interpose_print_line("%s; no topology is used", err.text);
    q->head.places = text != NULL || atn_job_checks_oversubscription(job) ||
                     atn_job_checks_spare_cores(job) || job->report != NULL;
}

static void pack_machine(const atn_job *job, atn_broadcast *q)
{
    char *const text = atn_plan_rules_plan(job->rules) ? atn_job_machine_text(job) : NULL;
    if (text != NULL)
        put(q, ATN_PART_MACHINE, text, strlen(text));
}

static int64_t total(const atn_broadcast *q)
{
    int64_t bytes = sizeof q->head;
    for (int i = 0; i < ATN_PARTS; i++)
        bytes += q->head.size[i];
    return bytes;
}

/* Sets the addresses of the parts within the bytes. */
static void find_parts(atn_broadcast *q)
{
    const char *at = q->bytes + sizeof q->head;
    for (int i = 0; i < ATN_PARTS; at += q->head.size[i++])
        q->part[i] = at;
}

/* Copies the separately allocated parts into one block. */
static bool join_parts(atn_broadcast *q)
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

int64_t atn_job_broadcast_read(atn_job *job, atn_broadcast *q)
{
    atn_broadcast loose = {0};
    atn_error err = {0};
    bool done = pack_choices(&loose, &err) == ATN_OK;
    if (done && (done = open_parts(job, &loose))) {
        pack_calibration(job, &loose);
        pack_topology(job, &loose);
        pack_machine(job, &loose);
        done = join_parts(&loose);
    }
    for (int i = 0; i < ATN_PARTS; i++)
        free((char *)loose.part[i]);
    if (!done) {
        atn_interpose_print_line("%s; everything stays native",
                                 *err.text != '\0' ? err.text : "out of memory");
        return -1;
    }
    *q = (atn_broadcast){.head = loose.head, .bytes = loose.bytes};
    find_parts(q);
    return total(q);
}

/* ---- sending ---- */

/* In portions, so that a rank without memory can still take part in the broadcast. */
static bool send_bytes(char *bytes, int64_t n, atn_broadcast_head *head_p)
{
    enum { PORTION = 1 << 16 };
    static char discard[PORTION];
    bool sent = true;
    for (int64_t at = 0; at < n && sent; at += PORTION) {
        char *const portion = bytes != NULL ? bytes + at : discard;
        const int some = n - at < PORTION ? (int)(n - at) : PORTION;
        sent = atn_pmpi_own_bcast(portion, some, MPI_CHAR, 0, MPI_COMM_WORLD) == MPI_SUCCESS;
        if (at == 0)
            memcpy(head_p, portion, sizeof *head_p);
    }
    return sent;
}

bool atn_job_broadcast_run(atn_job *job, int64_t bytes, atn_broadcast *q)
{
    if (job->r != 0)
        q->bytes = malloc((size_t)bytes);
    const bool sent = send_bytes(q->bytes, bytes, &q->head);
    if (job->r == 0 || !sent || q->bytes == NULL)
        return sent && q->bytes != NULL;
    find_parts(q);
    return open_parts(job, q);
}

void atn_job_broadcast_free(atn_broadcast *q) { free(q->bytes); }
