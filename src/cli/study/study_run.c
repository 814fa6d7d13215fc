/* study_run.c - what a study needs, and how it is computed. */
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/launch/launch.h"
#include "cli/measure.h"
#include "cli/study/study.h"
#include "lab/lab.h"

#define ATN_STUDY(...) {__VA_ARGS__},
#define MODEL          ATN_STUDY_MODEL
#define SIM            ATN_STUDY_SIM
#define LOCAL          ATN_STUDY_LOCAL
#define LAB            ATN_STUDY_LAB
const atn_study atn_cli_studies[] = {
#include "cli/study/studies.def"
};
const int atn_cli_study_count = sizeof atn_cli_studies / sizeof *atn_cli_studies;

const char *const atn_cli_study_places[] = {"model", "simulated", "local", "lab"};

const atn_study *atn_cli_study_find(const char *name)
{
    for (int i = 0; i < atn_cli_study_count; i++)
        if (strcmp(atn_cli_studies[i].name, name) == 0)
            return &atn_cli_studies[i];
    return NULL;
}

/* ---- what is needed ---- */

static bool is_in_path(const char *program)
{
    char path[4096];
    return atn_cli_program_find(program, NULL, NULL, false, path) == 0;
}

/* The program of an MPI library, and its launcher. */
static bool has_mpi(const char *flavour)
{
    char name[64], path[ATN_LAB_PATH];
    snprintf(name, sizeof name, "%s/study", flavour);
    if (atn_lab_find(name, path, NULL) != ATN_OK)
        return false;
    snprintf(name, sizeof name, "mpirun.%s", flavour);
    return is_in_path(name);
}

static const char *mpi_of(const atn_study_request *q)
{
    return q->mpi != NULL ? q->mpi : has_mpi("openmpi") ? "openmpi" : "mpich";
}

static atn_status check_mpi(const atn_study *s, const atn_study_request *q, atn_error *err)
{
    if (has_mpi(mpi_of(q)))
        return ATN_OK;
    return atn_fail(err, ATN_ENVIRONMENT,
                    "%s needs an MPI library, but %s/study and mpirun.%s were not found; install "
                    "Open MPI or MPICH and build Attune with it",
                    s->name, mpi_of(q), mpi_of(q));
}

static atn_status check_sim(const atn_study *s, atn_error *err)
{
    char path[ATN_LAB_PATH];
    if (is_in_path("smpirun") && atn_lab_find("smpi/study", path, NULL) == ATN_OK)
        return ATN_OK;
    return atn_fail(err, ATN_ENVIRONMENT,
                    "%s is simulated, but SimGrid is missing; install it (Debian: libsimgrid-dev) "
                    "and build Attune with it",
                    s->name);
}

static atn_status check_lab(const atn_study *s, const atn_study_request *q, atn_error *err)
{
    if (geteuid() != 0)
        return atn_fail(err, ATN_ENVIRONMENT,
                        "%s runs in an emulated cluster, which needs root to create network "
                        "namespaces; run it with sudo",
                        s->name);
    if (!is_in_path("ip"))
        return atn_fail(err, ATN_ENVIRONMENT,
                        "%s runs in an emulated cluster, but the command ip is missing; install "
                        "iproute2",
                        s->name);
    return check_mpi(s, q, err);
}

atn_status atn_cli_study_available(const atn_study *s, const atn_study_request *q, atn_error *err)
{
    if (s->compute == NULL && !is_in_path("bash"))
        return atn_fail(err, ATN_ENVIRONMENT, "%s is a script, but bash is missing; install bash",
                        s->name);
    switch (s->place) {
    case ATN_STUDY_SIM:
        return check_sim(s, err);
    case ATN_STUDY_LAB:
        return check_lab(s, q, err);
    case ATN_STUDY_LOCAL:
        return check_mpi(s, q, err);
    default:
        return ATN_OK;
    }
}

/* ---- the folder for raw results ---- */

static int remove_entry(const char *path, const struct stat *about, int type, struct FTW *at)
{
    (void)about, (void)type, (void)at;
    return remove(path);
}

static atn_status open_folder(const atn_study_request *q, char path[4096], atn_error *err)
{
    const char *const base = getenv("TMPDIR");
    if (q->folder != NULL) {
        snprintf(path, 4096, "%s/.", q->folder);
        atn_make_folders(path);
        snprintf(path, 4096, "%s", q->folder);
        return access(path, W_OK) == 0 ? ATN_OK
                                       : atn_fail(err, ATN_ENVIRONMENT,
                                                  "%s: cannot be written: %s; name another folder",
                                                  path, strerror(errno));
    }
    snprintf(path, 4096, "%s/attune-study-XXXXXX", base != NULL && *base ? base : "/tmp");
    return mkdtemp(path) != NULL
               ? ATN_OK
               : atn_fail(err, ATN_ENVIRONMENT, "%s: cannot be created: %s; set TMPDIR", path,
                          strerror(errno));
}

static void close_folder(const atn_study_request *q, const char *path)
{
    if (q->folder == NULL)
        nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- scripts ---- */

static atn_status take(void *context, const char *text, atn_error *err)
{
    return atn_cli_study_take(context, text, err);
}

/* Results of a study must not depend on settings of the user. */
static void clear_settings(void)
{
    extern char **environ;
    char name[256];
    for (int i = 0; environ[i] != NULL;) {
        const size_t n = strcspn(environ[i], "=");
        if (strncmp(environ[i], "ATTUNE", 6) != 0 || n >= sizeof name) {
            i++;
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)n, environ[i]);
        unsetenv(name);
        i = 0;
    }
}

/* The program that the jobs of a study run; "": none. */
static const char *program_of(const atn_study *s, const atn_study_request *q,
                              char path[ATN_LAB_PATH])
{
    char name[64];
    snprintf(name, sizeof name, "%s/study", s->place == ATN_STUDY_SIM ? "smpi" : mpi_of(q));
    return s->place != ATN_STUDY_MODEL && atn_lab_find(name, path, NULL) == ATN_OK ? path : "";
}

/* bash SCRIPT ATTUNE MPI SECONDS FOLDER PROGRAM */
static atn_status run_script(const atn_study_request *q, const char *folder, atn_study_result *r,
                             atn_error *err)
{
    char name[128], script[ATN_LAB_PATH], program[ATN_LAB_PATH];
    char self[ATN_LAB_PATH] = "", seconds[24];
    snprintf(name, sizeof name, "studies/%s", r->study->name);
    atn_status st = atn_lab_find(name, script, err);
    if (st)
        return st;
    if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0)
        return atn_fail(err, ATN_ENVIRONMENT, "cannot find the path of this command: %s",
                        strerror(errno));
    snprintf(seconds, sizeof seconds, "%d", q->seconds > 0 ? q->seconds : r->study->seconds);
    clear_settings();
    const char *const words[] = {
        "bash", script, self, mpi_of(q), seconds, folder, program_of(r->study, q, program), NULL};
    return atn_cli_measure_words(&(atn_measure){.line = take, .context = r}, (char *const *)words,
                                 err);
}

static bool describe_machine(const atn_study_request *q, atn_study_result *r)
{
    struct utsname about;
    if (r->study->place != ATN_STUDY_LOCAL && r->study->place != ATN_STUDY_LAB)
        return true;
    return uname(&about) != 0 ||
           atn_cli_study_remark(r, "Measured on %s, %ld cores, %s.", about.machine,
                                sysconf(_SC_NPROCESSORS_ONLN),
                                strcmp(mpi_of(q), "mpich") == 0 ? "MPICH" : "Open MPI");
}

atn_status atn_cli_study_run(const atn_study_request *q, atn_study_result *r, atn_error *err)
{
    char folder[4096];
    atn_status st = atn_cli_study_available(r->study, q, err);
    if (st)
        return st;
    if (r->study->compute != NULL)
        return r->study->compute(r) ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
    st = open_folder(q, folder, err);
    if (st)
        return st;
    st = run_script(q, folder, r, err);
    close_folder(q, folder);
    if (!st && !describe_machine(q, r))
        st = atn_fail(err, ATN_MEMORY, "out of memory");
    return st;
}
