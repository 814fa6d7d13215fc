/* lessons.c - lessons of this process, and how they get into the wisdom.
 *
 * Each is written once: what is merged again later counts only the samples that came since. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "plan/wisdom.h"
#include "pmpi/learned.h"

typedef struct {
    atn_rule rule;
    int64_t written; /* samples of this choice that the file has */
} lesson;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static ATN_VEC(lesson) lessons;
static int64_t next_write_ns, pause_ns;

static const int64_t first_pause_ns = 1000000000, longest_pause_ns = 64000000000;

/* ---- the list ---- */

bool atn_lessons_find(const atn_problem *q, int64_t place, atn_rule *rule_p)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < lessons.n && !found; i++) {
        const atn_rule *const rule = &lessons.v[i].rule;
        found = rule->op == q->op && rule->place == place && rule->ranks.lo <= q->p &&
                q->p < rule->ranks.hi && rule->bytes.lo <= q->bytes && q->bytes < rule->bytes.hi;
        if (found)
            *rule_p = *rule;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

bool atn_lessons_keep(const atn_rule *rule)
{
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < lessons.n && !atn_rule_same_problem(&lessons.v[i].rule, rule))
        i++;
    const bool room = i < lessons.n || atn_push(&lessons, (lesson){.rule = *rule});
    if (room) {
        lesson *const old = &lessons.v[i];
        const bool goes_on =
            atn_same_choice(&old->rule.use, &rule->use) && old->written <= rule->samples;
        *old = (lesson){.rule = *rule, .written = goes_on ? old->written : 0};
    }
    pthread_mutex_unlock(&lock);
    return room;
}

/* An interval is that of the blocks that a tuner keeps; fewer of them leave a wider one. */
static int64_t interval_of(const atn_rule *rule, int64_t samples)
{
    const int64_t kept = rule->samples < ATN_TUNE_KEEP ? rule->samples : ATN_TUNE_KEEP;
    if (rule->ci_ps < 0 || samples >= kept)
        return rule->ci_ps;
    return (int64_t)llround((double)rule->ci_ps * sqrt((double)kept / (double)samples));
}

/* What the file does not have, as a table; NULL: nothing, or no memory. */
static atn_rules *take_news(void)
{
    ATN_VEC(atn_rule) news = {0};
    pthread_mutex_lock(&lock);
    for (int i = 0; i < lessons.n; i++) {
        lesson *const x = &lessons.v[i];
        atn_rule rule = x->rule;
        rule.samples -= x->written;
        if (rule.samples <= 0)
            continue;
        rule.ci_ps = interval_of(&x->rule, rule.samples);
        if (atn_push(&news, rule))
            x->written = x->rule.samples;
    }
    pthread_mutex_unlock(&lock);
    atn_rules *const table = news.n > 0 ? atn_rules_make(news.v, news.n, NULL) : NULL;
    atn_vec_free(&news);
    return table;
}

/* ---- the file ---- */

/* The job's own, else the user's; false: none is to be written. */
static bool file_to_write(char path[4096])
{
    const char *const job = atn_setting_given(&atn_the_job.settings, ATN_SET_WISDOM);
    atn_wisdom_files files;
    atn_wisdom_find(job != NULL ? job : "", getenv("HOME"), getenv("XDG_DATA_HOME"), &files);
    if (files.n == 0 || strcmp(files.kind[0], "system") == 0)
        return false;
    memcpy(path, files.path[0], sizeof files.path[0]);
    return true;
}

/* A folder that cannot be written is nobody's fault unless somebody named the file. */
static void merge(const atn_rules *news)
{
    char path[4096];
    atn_error err = {0};
    const bool asked =
        atn_the_job.verbose > 0 || atn_setting_given(&atn_the_job.settings, ATN_SET_WISDOM) != NULL;
    if (news != NULL && file_to_write(path) && atn_wisdom_merge(path, news, &err) != ATN_OK &&
        (asked || err.status == ATN_INPUT))
        atn_say("%s%s", err.text,
                err.status == ATN_INPUT ? ""
                                        : "; what was learned is lost, name another file with "
                                          "ATTUNE_WISDOM");
}

void atn_lessons_checkpoint(void)
{
    if (atn_the_job.r != 0 || pthread_mutex_trylock(&writing) != 0)
        return;
    const int64_t now = atn_clock_kernel_ns();
    if (pause_ns == 0) {
        pause_ns = first_pause_ns;
        next_write_ns = now + pause_ns;
    } else if (now >= next_write_ns) {
        atn_rules *const news = take_news();
        merge(news);
        atn_rules_free(news);
        pause_ns = pause_ns < longest_pause_ns ? 2 * pause_ns : pause_ns;
        next_write_ns = now + pause_ns;
    }
    pthread_mutex_unlock(&writing);
}

/* ---- the end ---- */

static void join_text(const char *text, size_t bytes, atn_rules **all)
{
    atn_rules *some = NULL;
    if (bytes == 0 || atn_rules_parse(text, bytes, "lessons", &some, NULL) != ATN_OK)
        return;
    atn_rules *const both = *all != NULL ? atn_wisdom_join(*all, some) : NULL;
    if (both != NULL || *all != NULL)
        atn_rules_free(some);
    if (both != NULL)
        atn_rules_free(*all);
    *all = both != NULL ? both : *all != NULL ? *all : some;
}

static char *print_news(int *bytes_p)
{
    char *text = NULL;
    size_t bytes = 0;
    atn_rules *const news = take_news();
    FILE *const f = news != NULL ? open_memstream(&text, &bytes) : NULL;
    const bool done = f != NULL && atn_rules_print(f, news);
    if (f != NULL && fclose(f) != 0)
        bytes = 0;
    atn_rules_free(news);
    *bytes_p = done && bytes < 1 << 24 ? (int)bytes : 0;
    return text;
}

/* Where the texts of all ranks go on rank 0. */
typedef struct {
    int *sizes, *at; /* one array */
    char *text;
} inbox;

/* Collective.  False: there is no room on rank 0, or there is nothing. */
static bool make_room(inbox *in, int mine)
{
    const int p = atn_the_job.p;
    const bool rank0 = atn_the_job.r == 0;
    int64_t total = 0;
    int room = 1;
    if (rank0) {
        in->sizes = calloc(2 * (size_t)p, sizeof *in->sizes);
        room = in->sizes != NULL;
    }
    atn_real.Bcast(&room, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!room)
        return false;
    atn_real.Gather(&mine, 1, MPI_INT, in->sizes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank0) {
        in->at = in->sizes + p;
        for (int r = 0; r < p && total < INT32_MAX; total += in->sizes[r++])
            in->at[r] = (int)total;
        in->text = total > 0 && total < INT32_MAX ? malloc((size_t)total) : NULL;
        room = in->text != NULL;
    }
    atn_real.Bcast(&room, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return room;
}

static void merge_all(const inbox *in)
{
    atn_rules *all = NULL;
    for (int r = 0; r < atn_the_job.p; r++)
        join_text(in->text + in->at[r], (size_t)in->sizes[r], &all);
    merge(all);
    atn_rules_free(all);
}

void atn_learned_finish(void)
{
    if (!atn_the_job.learns)
        return;
    int mine = 0;
    inbox in = {0};
    char *const text = print_news(&mine);
    if (make_room(&in, mine)) {
        atn_real.Gatherv(text, mine, MPI_CHAR, in.text, in.sizes, in.at, MPI_CHAR, 0,
                         MPI_COMM_WORLD);
        if (atn_the_job.r == 0)
            merge_all(&in);
    }
    free(in.sizes);
    free(in.text);
    free(text);
    atn_vec_free(&lessons);
}
