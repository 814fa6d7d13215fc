/* launch_table.c - launchers with their options, and wrappers. */
#include <fnmatch.h>
#include <string.h>

#include "cli/launch/launch.h"

static const atn_launcher launchers[] = {
    {
        .title = "Open MPI",
        .flavour = "openmpi",
        .programs = "orterun prterun prun mpirun.openmpi mpiexec.openmpi oshrun oshrun.openmpi "
                    "shmemrun",
        .versions = {"Open MPI", "OpenRTE", "PRRTE", NULL},
        .options =
            {
                "allow-run-as-root bind-to-core bind-to-socket bycore bynode byslot continuous d "
                "debug debug-daemons debug-daemons-file debug-devel disable-recovery "
                "display-allocation display-devel-allocation display-devel-map "
                "display-diffable-map display-map display-topo do-not-launch do-not-resolve "
                "enable-instant-on-support enable-recovery fwd-mpirun-port get-stack-traces "
                "index-argv-by-rank leave-session-attached merge-stderr-to-stdout no-app-prefix "
                "no-ready-msg nolocal nooversubscribe noprefix novm output-proctable oversubscribe "
                "parsable parseable pernode preload-binary q quiet report-bindings "
                "report-child-jobs-separately report-state-on-timeout s set-cwd-to-session-dir "
                "show-progress tag-output timestamp-output tv use-hwthread-cpus use-regexp V v "
                "verbose version xml",
                "N H add-host add-hostfile am amca app app-prefix appfile bind-to c cartofile cf "
                "cpu-list cpu-set cpus-per-proc cpus-per-rank debugger default-exec-agent "
                "default-hostfile display dvm-uri exec-agent forward-signals h help hnp host "
                "hostfile keepalive launch-agent machinefile map-by max-restarts max-vm-size "
                "memory-alloc-kinds n np npernode npersocket ompi-server output output-filename "
                "path personality ppr prefix preload-files pset rank-by rankfile report-events "
                "report-pid report-uri rf runtime-options spawn-timeout stdin stream-buffering "
                "timeout tune wd wdir with-ft x xml-file xterm",
                "gmca gomca gpmixmca gprtemca mca omca pmixmca prtemca",
            },
        .folder = "wdir wd",
        .path = "path",
        .hides = "app appfile",
        .count = "c n np",
        .spread = "H host hostfile machinefile default-hostfile rf rankfile N npernode ppr",
        .way = ATN_WAY_X,
        .looks_here = true,
    },
    {
        .title = "MPICH (Hydra)",
        .flavour = "mpich",
        .programs = "mpiexec.hydra mpirun.mpich mpiexec.mpich mpirun.hydra",
        .versions = {"HYDRA", "Hydra", "Intel(R) MPI", NULL},
        .options =
            {
                "debug disable-auto-cleanup disable-hostname-propagation disable-x "
                "enable-auto-cleanup enable-hostname-propagation enable-x envall envnone genvall "
                "genvnone h help info l pmi-port prepend-rank print-all-exitcodes profile rr "
                "skip-launch-node v verbose version V",
                "bind-to binding bootstrap bootstrap-exec configfile demux envlist errfile "
                "errfile-pattern f genvlist gpu-subdevs-per-proc gpus-per-proc host hostfile "
                "hostlist hosts iface launcher launcher-exec localhost machinefile machinelist "
                "machines map-by mapping membind n nameserver np order-nodes outfile "
                "outfile-pattern output-from path perhost ppn prepend-pattern rmk topolib usize "
                "wdir",
                "env genv",
            },
        .folder = "wdir",
        .path = "path",
        .hides = "configfile",
        .count = "n np",
        .spread = "f host hostfile hosts hostlist machinefile machinelist machines perhost ppn",
        .way = ATN_WAY_GENV,
    },
    {
        .title = "Slurm's srun",
        .programs = "srun",
        .versions = {"slurm", NULL},
        .options =
            {
                "bcast bell compress consolidate-segments contiguous core debugger-test "
                "disable-status exact exclusive external get-user-env help hold immediate "
                "interactive join kill-on-bad-exit label launch-cmd multi-prog nice no-allocate "
                "no-bell no-kill no-requeue overcommit overlap oversubscribe preserve-env "
                "propagate pty quiet quit-on-interrupt reboot requeue resv-ports send-libs share "
                "spread-job stepmgr test-only unbuffered usage use-min-nodes verbose version whole "
                "x11",
                "account acctg-freq begin bb bbf chdir cluster-constraint clusters comment "
                "constraint container container-id core-spec cores-per-socket cpu-bind cpu-freq "
                "cpus-per-gpu cpus-per-task deadline delay-boot dependency distribution epilog "
                "error exclude export export-file extra extra-node-info gpu-bind gpu-freq gpus "
                "gpus-per-node gpus-per-socket gpus-per-task gres gres-flags hint input job-name "
                "jobid licenses mail-type mail-user mcs-label mem mem-bind mem-per-cpu "
                "mem-per-gpu mincpus mpi msg-timeout network nodefile nodelist nodes ntasks "
                "ntasks-per-core ntasks-per-gpu ntasks-per-node ntasks-per-socket "
                "ntasks-per-tres open-mode output partition power prefer priority profile prolog "
                "qos relative reservation signal slurmd-debug sockets-per-node switches "
                "task-epilog task-prolog thread-spec threads threads-per-core time time-min tmp "
                "tres-bind tres-per-task treewidth uid gid wait wckey",
                "",
            },
        .letters = "EHIKOQRVXZhjklsuv",
        .folder = "chdir D",
        .path = "",
        .hides = "multi-prog",
        .count = "n ntasks",
        .spread = "*",
        .way = ATN_WAY_EXPORT,
    },
    {
        .title = "attune sim",
        .own = {"sim"},
        .flavour = "smpi",
        .programs = "",
        .options = {"help off reproducible",
                    "cfg folder hosts-order native platform ranks "
                    "ranks-per-host seed smpirun",
                    ""},
        .letters = "h",
        .folder = "",
        .path = "",
        .hides = "",
        .count = "n ranks",
        .spread = "*",
        .way = ATN_WAY_X,
        .looks_here = true,
    },
    {
        .title = "attune lab run",
        .own = {"lab", "run"},
        .programs = "",
        .options = {"help no-topology no-yield",
                    "env launcher-option map mpi mpirun name ranks ranks-per-host", ""},
        .letters = "h",
        .folder = "",
        .path = "",
        .hides = "",
        .count = "n ranks",
        .spread = "*",
        .mpi = "mpi",
        .way = ATN_WAY_X,
        .looks_here = true,
    },
};
enum { LAUNCHERS = sizeof launchers / sizeof launchers[0] };

/* Launcher names used by several MPI libraries. */
static const char *const common_names[] = {"mpirun*", "mpiexec*"};

static const char *const wrappers[] = {
    "env",       "time",        "timeout", "nice",      "ionice",       "chrt",     "nohup",
    "setsid",    "stdbuf",      "taskset", "numactl",   "hwloc-bind",   "strace",   "ltrace",
    "perf",      "gdb*",        "lldb*",   "valgrind*", "rr",           "xterm",    "ddt",
    "map",       "forge",       "bash",    "sh",        "dash",         "ksh*",     "zsh",
    "fish",      "python*",     "pypy*",   "perl*",     "ruby*",        "lua*",     "tclsh*",
    "R",         "Rscript",     "julia",   "octave*",   "java",         "node",     "guile*",
    "apptainer", "singularity", "podman",  "docker",    "charliecloud", "ch-run",   "shifter",
    "sarus",     "unshare",     "nsenter", "busybox",   "xargs",        "faketime", "catchsegv",
    "eztrace",   "tau_exec",    "extrae*", "hpcrun",    "heaptrack",    "uftrace",  "psrun",
};

static bool ends_command(const atn_launcher *l, char **words, int i)
{
    const int n = l->own[0] == NULL ? 0 : l->own[1] == NULL ? 1 : 2;
    if (n == 0 || i < n || strcmp(atn_cli_base_name(words[i - n]), "attune") != 0)
        return false;
    return strcmp(words[i - n + 1], l->own[0]) == 0 && strcmp(words[i], l->own[n - 1]) == 0;
}

const atn_launcher *atn_cli_launcher_own(char **words, int i)
{
    for (int k = 0; k < LAUNCHERS; k++)
        if (ends_command(&launchers[k], words, i))
            return &launchers[k];
    return NULL;
}

const atn_launcher *atn_cli_launcher_at(int i) { return i < LAUNCHERS ? &launchers[i] : NULL; }

bool atn_cli_in_words(const char *words, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = words; *at != '\0'; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (length == n && strncmp(at, word, n) == 0)
            return true;
        at += length;
    }
    return false;
}

bool atn_cli_is_wrapper(const char *word)
{
    const char *base = atn_cli_base_name(word);
    for (size_t i = 0; i < sizeof wrappers / sizeof wrappers[0]; i++)
        if (fnmatch(wrappers[i], base, 0) == 0)
            return true;
    return false;
}

bool atn_cli_has_launcher_name(const char *word)
{
    const char *base = atn_cli_base_name(word);
    if (strpbrk(base, " \t\n") != NULL) /* a line for a shell: sh -c 'mpirun -n 2 program' */
        return false;
    for (int i = 0; i < 2; i++)
        if (fnmatch(common_names[i], base, 0) == 0)
            return true;
    for (int i = 0; i < LAUNCHERS; i++)
        if (atn_cli_in_words(launchers[i].programs, base))
            return true;
    return false;
}
