/* command.c - runs the programs of iproute2, and checks beforehand what a lab needs. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/private.h"

/* ---- running ---- */

bool atn_lab_tool(const char *program, char out[ATN_LAB_PATH])
{
    static const char sbin[] = "/usr/local/sbin:/usr/sbin:/sbin";
    const char *const paths[] = {getenv("PATH"), sbin};
    for (int i = 0; i < 2; i++)
        for (const char *at = paths[i]; at != NULL && *at != '\0'; at += *at == ':') {
            const int n = (int)strcspn(at, ":");
            const int used = snprintf(out, ATN_LAB_PATH, "%.*s/%s", n, at, program);
            if (n > 0 && used < ATN_LAB_PATH && access(out, X_OK) == 0)
                return true;
            at += n;
        }
    return false;
}

static int memory_file(const char *text)
{
    const int fd = memfd_create("attune", MFD_CLOEXEC);
    const size_t n = strlen(text);
    if (fd >= 0 && (write(fd, text, n) != (ssize_t)n || lseek(fd, 0, SEEK_SET) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Ends with this process: whatever it created later would be in no record. */
static void become_tool(const char *path, const char *const *words, int in, int out)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(out, 2) == 2)
        execv(path, (char *const *)words);
    dprintf(out, "%s\n", strerror(errno));
    _exit(127);
}

static int run(const char *path, const char *const *words, int in, int out)
{
    int status = -1;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0)
        become_tool(path, words, in, out);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* ---- error messages ---- */

static int line_of(const char *text, int n, const char **line_p)
{
    for (; n > 1 && text != NULL; n--) {
        text = strchr(text, '\n');
        text = text != NULL ? text + 1 : NULL;
    }
    *line_p = text != NULL ? text : "";
    return (int)strcspn(*line_p, "\n");
}

/* A batch prints "Command failed -:7" after its error message. */
static atn_status complain(const char *program, const char *output, const char *input,
                           atn_error *err)
{
    const char *where = strstr(output, "Command failed -:"), *line = "";
    int n = 0;
    if (where != NULL)
        n = line_of(input, atoi(where + strlen("Command failed -:")), &line);
    return atn_fail(err, ATN_ENVIRONMENT, "%s %.*s: %.*s", program, n, line,
                    (int)strcspn(output, "\n"), *output != '\0' ? output : "failed");
}

atn_status atn_lab_call(const char *program, const char *const *words, const char *input,
                        atn_error *err)
{
    char path[ATN_LAB_PATH], output[512] = "";
    const int in = memory_file(input), out = memory_file("");
    atn_status status = ATN_OK;
    if (in < 0 || out < 0)
        status = atn_fail(err, ATN_ENVIRONMENT, "cannot run %s: %s", program, strerror(errno));
    else if (!atn_lab_tool(program, path))
        status = atn_fail(err, ATN_ENVIRONMENT, "%s is not installed", program);
    else if (run(path, words, in, out) != 0) {
        if (pread(out, output, sizeof output - 1, 0) < 0)
            *output = '\0';
        status = complain(program, output, input, err);
    }
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return status;
}

/* ---- what a lab needs ---- */

static bool capable(int capability)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0}};
    return syscall(SYS_capget, &head, data) == 0 &&
           (data[capability / 32].effective >> capability % 32 & 1) != 0;
}

static const struct {
    int capability;
    const char *name, *purpose;
} capabilities[] = {
    {CAP_NET_ADMIN, "CAP_NET_ADMIN", "set up networks"},
    {CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "create namespaces"},
};

static const struct {
    const char *program, *package;
} tools[] = {{"ip", "iproute2"}, {"tc", "iproute2 (or iproute-tc)"}};

atn_status atn_lab_check(bool delays, atn_error *err)
{
    char path[ATN_LAB_PATH];
    for (int i = 0; i < 2; i++)
        if (!capable(capabilities[i].capability))
            return atn_fail(err, ATN_ENVIRONMENT,
                            "no permission to %s (%s is missing); run it as root, or in user "
                            "namespaces of your own as docs/lab.md shows",
                            capabilities[i].purpose, capabilities[i].name);
    for (int i = 0; i < 2; i++)
        if (!atn_lab_tool(tools[i].program, path))
            return atn_fail(err, ATN_ENVIRONMENT,
                            "the program %s is not installed; install the package %s",
                            tools[i].program, tools[i].package);
    if (delays && access("/dev/net/tun", R_OK | W_OK) != 0)
        return atn_fail(err, ATN_ENVIRONMENT,
                        "/dev/net/tun: %s; links with a delay need it: load the kernel module tun "
                        "and allow its use, "
                        "or leave the delays out",
                        strerror(errno));
    return ATN_OK;
}
