/* read_words.c - topologies, schedules, expressions and command lines. */
#include <stdlib.h>
#include <string.h>

#include "algo/pattern.h"
#include "cli/launch/elf.h"
#include "cli/launch/launch.h"
#include "model/expr.h"
#include "readers.h"
#include "research/taulop/expr.h"
#include "research/taulop/published.h"
#include "research/taulop/summa.h"
#include "research/taulop/traffic.h"
#include "sched/neighbourhood.h"
#include "sched/text.h"
#include "sched/verify.h"

/* ---- topologies ---- */

/* Names of other tools may hold characters that a topology file cannot. */
static bool is_foreign(atn_reader *read)
{
    const atn_topo_format *f = atn_import_formats;
    while (f->name != NULL && f->read != read)
        f++;
    return f->name != NULL;
}

/* Derived data, and the text that must be readable. */
static void use(const atn_topo *t, bool foreign)
{
    atn_topo *again = NULL;
    atn_error err = {0};
    char *const text = foreign ? NULL : atn_topo_print(t);
    atn_topo_fingerprint(t);
    atn_topo_wires(t);
    if (text != NULL) {
        atn_topo_parse_slurm(text, "again", &again, &err);
        if (again == NULL)
            fprintf(stderr, "%s\n%s\n", err.text, text);
        atn_fuzz_expect(again != NULL, "a printed topology can be read");
    }
    atn_topo_free(again);
    free(text);
}

void atn_fuzz_topo_text(char *text, size_t bytes, atn_reader *read)
{
    (void)bytes;
    atn_topo *t = NULL;
    atn_error err = {0};
    atn_fuzz_judge(atn_topo_read_text(read, text, "input", &t, &err), &err);
    if (t != NULL && t->nnodes < 4096 && t->p < 4096)
        use(t, is_foreign(read));
    atn_topo_free(t);
}

void atn_fuzz_topology(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    atn_topo *t = NULL;
    atn_error err = {0};
    atn_fuzz_judge(atn_topo_load(atn_fuzz_file(text, bytes), &t, &err), &err);
    atn_topo_free(t);
}

/* ---- schedules, neighbourhoods, patterns ---- */

static void schedule_again(atn_schedule *const *schedules, int p)
{
    char *text = NULL;
    size_t bytes = 0;
    atn_schedule **again = NULL;
    int ranks = 0;
    atn_error err = {0};
    FILE *const f = open_memstream(&text, &bytes);
    if (f == NULL)
        return;
    atn_sched_schedule_print(f, schedules, p);
    fclose(f);
    const atn_status status = atn_sched_schedule_parse(text, "again", &again, &ranks, &err);
    if (status != ATN_OK)
        fprintf(stderr, "%s\n%s\n", err.text, text);
    atn_fuzz_expect(status == ATN_OK && ranks == p, "a printed schedule can be read");
    for (int r = 0; r < ranks; r++)
        atn_sched_schedule_free(again[r]);
    free(again);
    free(text);
}

void atn_fuzz_schedule(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    (void)bytes;
    atn_schedule **schedules = NULL;
    int p = 0;
    atn_error err = {0}, proof = {0};
    atn_verify_counts counts;
    const atn_status status = atn_sched_schedule_parse(text, "input", &schedules, &p, &err);
    atn_fuzz_judge(status, &err);
    if (status != ATN_OK)
        return;
    schedule_again(schedules, p);
    atn_fuzz_judge(atn_sched_verify(schedules, p, &counts, &proof), &proof);
    for (int r = 0; r < p; r++)
        atn_sched_schedule_free(schedules[r]);
    free(schedules);
}

void atn_fuzz_neighbours(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    (void)bytes;
    for (int file = 0; file < 2; file++) {
        atn_neighbourhood *n = NULL;
        atn_error err = {0};
        const atn_status status = file ? atn_sched_neighbourhood_edges(text, "input", 5, &n, &err)
                                       : atn_sched_neighbourhood_parse(text, 0, &n, &err);
        atn_fuzz_judge(status, &err);
        if (n != NULL)
            atn_sched_neighbourhood_free(n);
    }
}

void atn_fuzz_pattern(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    (void)bytes;
    atn_patterns x = {0};
    atn_error err = {0};
    const atn_status status = atn_algo_patterns_parse(text, "input", &x, &err);
    atn_fuzz_judge(status, &err);
    if (status == ATN_OK)
        atn_algo_patterns_free(&x);
}

/* ---- expressions ---- */

void atn_fuzz_expression(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    (void)bytes;
    static const atn_variable vars[] = {{"p", 7}, {"n", 1000}, {"m", 3}};
    atn_expr *x = NULL;
    atn_error err = {0};
    atn_fuzz_judge(atn_model_expr_read(text, vars, 3, &x, &err), &err);
    atn_model_expr_free(x);
}

void atn_fuzz_taulop(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    (void)bytes;
    atn_tau *x = NULL, *again = NULL;
    atn_mapping mapping = {0};
    atn_tau_instance instance = {8, 2, 4};
    atn_error err = {0}, other = {0};
    atn_fuzz_judge(atn_tau_parse(text, &x, &err), &err);
    char *const printed = x != NULL ? atn_tau_text(x, ATN_TAU_ASCII) : NULL;
    if (printed != NULL) {
        atn_tau_parse(printed, &again, &other);
        if (again == NULL)
            fprintf(stderr, "%s\n%s\n", other.text, printed);
        atn_fuzz_expect(again != NULL, "a printed expression can be read");
    }
    if (atn_tau_mapping_read(text, 8, 3, &mapping, &other) == ATN_OK)
        atn_tau_mapping_free(&mapping);
    if (atn_tau_published_find(text) != NULL)
        atn_tau_published_parse(text, &instance, &other);
    free(printed);
    atn_tau_free(again);
    atn_tau_free(x);
}

void atn_fuzz_summa(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    (void)bytes;
    atn_summa s = {0};
    atn_error err = {0};
    const atn_status status = atn_tau_summa_parse(text, "input", &s, &err);
    atn_fuzz_judge(status, &err);
    if (status == ATN_OK)
        atn_tau_summa_free(&s);
}

/* ---- the command line of a launcher; programs ---- */

enum { WORDS = 64 };

/* A word with a slash would be executed with --version, to detect its MPI library. */
static bool may_run(char **words, int n)
{
    for (int i = 0; i < n; i++)
        if (strchr(words[i], '/') != NULL && atn_cli_has_launcher_name(words[i]))
            return true;
    return false;
}

void atn_fuzz_launcher(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    (void)bytes;
    char *words[WORDS + 1] = {0}, *environment = NULL;
    atn_launch l = {0};
    atn_words out = {0};
    atn_error err = {0}, other = {0};
    int n = 0;
    for (char *word; n < WORDS && (word = strsep(&text, "\n")) != NULL;)
        words[n++] = word;
    if (may_run(words, n))
        return;
    const atn_status status = atn_cli_launch_parse(words, n, "openmpi", &l, &err);
    atn_fuzz_judge(status, &err);
    const char *const name = "ATTUNE_REPORT", *const value = "on";
    const atn_job_env env = {"/lib/attune.so", "/lib/other.so", &name, &value, 1};
    if (status == ATN_OK)
        atn_fuzz_judge(atn_cli_launch_command(&l, &env, &out, &environment, &other), &other);
    atn_cli_words_free(&out);
    free(environment);
    atn_cli_launch_free(&l);
}

void atn_fuzz_elf(char *text, size_t bytes, atn_reader *read)
{
    (void)read;
    atn_elf about;
    atn_error err = {0};
    atn_fuzz_judge(atn_cli_elf_examine(atn_fuzz_file(text, bytes), "/nowhere", &about, &err), &err);
}
