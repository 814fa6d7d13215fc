/* launcher.c - command lines that make each MPI start its ranks on the hosts of a lab.
 *
 * Both start their helpers through a remote shell, which is the lab's agent.  What a user may want
 * to change goes through the environment and is set only where it is not set already. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lab/private.h"

typedef struct {
    const atn_lab *lab;
    const atn_lab_job *job;
    const char *folder;
    char file[ATN_LAB_PATH]; /* hosts by rank */
    atn_lab_words *words;
    bool failed; /* out of memory */
} plan;

__attribute__((format(printf, 2, 3))) static void put(plan *p, const char *format, ...)
{
    va_list args;
    char *word = NULL;
    va_start(args, format);
    const int n = vasprintf(&word, format, args);
    va_end(args);
    if (n < 0 || !atn_push(p->words, word)) {
        p->failed = true;
        if (n >= 0)
            free(word);
    }
}

static const char *host_name(const plan *p, int rank)
{
    const atn_lab *lab = p->lab;
    return lab->topo->nodes[lab->hosts.v[p->job->host_of[rank]]].name;
}

static void fill_in(const plan *p, const char *pattern, char out[ATN_LAB_PATH])
{
    FILE *f = fmemopen(out, ATN_LAB_PATH, "w");
    for (const char *at = pattern; f != NULL && *at != '\0'; at++)
        if (*at != '%')
            fputc(*at, f);
        else if (*++at == 'L')
            fputs(p->lab->folder, f);
        else if (*at == 'J')
            fputs(p->folder, f);
        else
            fprintf(f, "10.%d.0.0/16", p->lab->network);
    if (f != NULL)
        fclose(f);
}

/* ---- Open MPI ---- */

typedef struct {
    const char *name, *value; /* %L: folder of the lab, %J: of the job, %N: its network */
    bool ours;                /* the lab does not work with another value */
} setting;

static const setting openmpi_settings[] = {
    {"OMPI_ALLOW_RUN_AS_ROOT", "1", false},
    {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", false},
    {"OMPI_MCA_plm", "rsh", true},
    {"OMPI_MCA_plm_rsh_agent", "%L/agent", true},
    {"OMPI_MCA_plm_rsh_no_tree_spawn", "1", true},
    {"OMPI_MCA_plm_rsh_num_concurrent", "1000", true},
    {"OMPI_MCA_orte_tmpdir_base", "%J", true},
    {"OMPI_MCA_orte_keep_fqdn_hostnames", "1", true},
    {"OMPI_MCA_oob_tcp_if_include", "%N", true},
    {"OMPI_MCA_btl_tcp_if_include", "%N", true},
    {"OMPI_MCA_rmaps_base_oversubscribe", "1", false},
    {"OMPI_MCA_hwloc_base_binding_policy", "none", false},
    {"OMPI_MCA_pml", "ob1", false},
    {"OMPI_MCA_btl", "tcp,vader,self", false},
    {"OMPI_MCA_mpi_yield_when_idle", "1", false},
    {0},
};

/* One line per rank, which the sequential mapper takes as it stands. */
static void openmpi_hosts(const plan *p, FILE *f)
{
    for (int r = 0; r < p->job->n; r++)
        fprintf(f, "%s\n", host_name(p, r));
}

static void openmpi_words(plan *p)
{
    put(p, "--hostfile");
    put(p, "%s", p->file);
    put(p, "--map-by");
    put(p, "seq");
    for (int i = 0; i < p->job->nvariables; i++) {
        put(p, "-x");
        put(p, "%s", p->job->variables[i]);
    }
}

/* ---- MPICH ---- */

/* UCX takes shared memory only between processes of a host, because each host has its own. */
static const setting mpich_settings[] = {
    {"UCX_TLS", "tcp,sysv,posix,cma,self", false},
    {"UCX_NET_DEVICES", ATN_LAB_DEVICE, false},
    {0},
};

/* The ranks repeat with this period: the launcher goes through its list again and again. */
static int period_of(const atn_lab_job *job)
{
    for (int period = 1; period < job->n; period++) {
        bool repeats = job->n % period == 0;
        for (int r = period; r < job->n && repeats; r++)
            repeats = job->host_of[r] == job->host_of[r - period];
        if (repeats)
            return period;
    }
    return job->n;
}

static bool all_on_one(const atn_lab_job *job)
{
    for (int r = 1; r < job->n; r++)
        if (job->host_of[r] != job->host_of[0])
            return false;
    return true;
}

static void mpich_hosts(const plan *p, FILE *f)
{
    const atn_lab_job *job = p->job;
    const int stop = all_on_one(job) ? job->n : period_of(job);
    for (int r = 0, same; r < stop; r += same) {
        same = 1;
        while (r + same < stop && job->host_of[r + same] == job->host_of[r])
            same++;
        fprintf(f, "%s:%d\n", host_name(p, r), same);
    }
}

static void mpich_variable(plan *p, const char *variable)
{
    const int n = (int)strcspn(variable, "=");
    put(p, "-genv");
    put(p, "%.*s", n, variable);
    put(p, "%s", variable[n] == '=' ? variable + n + 1 : "");
}

static void mpich_words(plan *p)
{
    put(p, "-f");
    put(p, "%s", p->file);
    put(p, "-launcher");
    put(p, "ssh");
    put(p, "-launcher-exec");
    put(p, "%s/agent", p->lab->folder);
    put(p, "-localhost");
    put(p, "%s", p->lab->frontend);
    put(p, "-iface");
    put(p, "%s", ATN_LAB_DEVICE);
    for (int i = 0; i < p->job->nvariables; i++)
        mpich_variable(p, p->job->variables[i]);
}

/* ---- both ---- */

static const struct {
    const char *mpi;
    const setting *settings;
    void (*hosts)(const plan *p, FILE *f);
    void (*words)(plan *p);
} kinds[] = {
    {"openmpi", openmpi_settings, openmpi_hosts, openmpi_words},
    {"mpich", mpich_settings, mpich_hosts, mpich_words},
};

static void set_environment(const plan *p, const setting *settings)
{
    char value[ATN_LAB_PATH];
    for (const setting *s = settings; s->name != NULL; s++) {
        fill_in(p, s->value, value);
        setenv(s->name, value, s->ours);
    }
}

static atn_status write_hosts(plan *p, void (*hosts)(const plan *p, FILE *f), atn_error *err)
{
    snprintf(p->file, sizeof p->file, "%s/hosts", p->folder);
    FILE *file = fopen(p->file, "we");
    if (file != NULL)
        hosts(p, file);
    if (file != NULL && fclose(file) == 0)
        return ATN_OK;
    return atn_fail(err, ATN_ENVIRONMENT, "%s cannot be written", p->file);
}

static void put_command(plan *p, void (*words)(plan *p))
{
    put(p, "%s", p->job->launcher);
    words(p);
    put(p, "-n");
    put(p, "%d", p->job->n);
    for (int i = 0; i < p->job->noptions; i++)
        put(p, "%s", p->job->options[i]);
    for (int i = 0; p->job->words[i] != NULL; i++)
        put(p, "%s", p->job->words[i]);
    p->failed = p->failed || !atn_push(p->words, NULL);
}

atn_status atn_lab_launcher(const atn_lab *lab, const atn_lab_job *job, const char *folder,
                            atn_lab_words *words, atn_error *err)
{
    plan p = {.lab = lab, .job = job, .folder = folder, .words = words};
    const int kind = strcmp(job->mpi, kinds[0].mpi) == 0 ? 0 : 1;
    const atn_status status = write_hosts(&p, kinds[kind].hosts, err);
    if (status != ATN_OK)
        return status;
    set_environment(&p, kinds[kind].settings);
    put_command(&p, kinds[kind].words);
    return p.failed ? atn_fail(err, ATN_MEMORY, "out of memory") : ATN_OK;
}
