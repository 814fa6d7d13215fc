/* up.c - makes a lab: folder, namespaces, links, rates, delay lines. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/private.h"

/* ---- interruption: the next step fails, and what was made is removed ---- */

static volatile sig_atomic_t interrupted;

static void interrupt(int signal) { interrupted = signal; }

static void catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = interrupt};
    interrupted = 0;
    for (int i = 0; i < 3; i++)
        sigaction(signals[i], &action, NULL);
}

/* ---- folder ---- */

static atn_status write_text(const atn_lab *lab, const char *file, char *text, atn_error *err)
{
    char path[ATN_LAB_PATH];
    atn_status status = text != NULL ? atn_lab_path(lab, file, path, err)
                                     : atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK)
        status = atn_write_file(path, text, strlen(text), err);
    free(text);
    return status;
}

/* Launchers split the name of a remote shell at blanks; this one has none, and identifies the
 * lab. */
static atn_status link_agent(const atn_lab *lab, atn_error *err)
{
    char agent[ATN_LAB_PATH], path[ATN_LAB_PATH];
    atn_status status = atn_lab_find("attune-lab-agent", agent, err);
    if (status == ATN_OK)
        status = atn_lab_path(lab, "agent", path, err);
    if (status == ATN_OK && symlink(agent, path) != 0)
        status = atn_fail(err, ATN_ENVIRONMENT, "%s: %s", path, strerror(errno));
    return status;
}

/* The lab is made from the text it keeps, so that later readers number its nodes alike. */
static atn_status keep_topology(atn_lab *lab, atn_error *err)
{
    char path[ATN_LAB_PATH];
    atn_status status = write_text(lab, "topology.conf", atn_topo_print(lab->topo), err);
    if (status == ATN_OK)
        status = atn_lab_path(lab, "topology.conf", path, err);
    atn_topo_free(lab->topo);
    lab->topo = NULL;
    atn_vec_free(&lab->hosts);
    if (status == ATN_OK)
        status = atn_topo_load(path, &lab->topo, err);
    return status == ATN_OK ? atn_lab_layout(lab, err) : status;
}

static atn_status fill_folder(atn_lab *lab, atn_error *err)
{
    char job[ATN_LAB_PATH];
    atn_status status = atn_lab_record(lab, err, "attune-lab 1\nnetwork 10.%d.0.0/16\nmtu %d",
                                       lab->network, lab->mtu);
    if (status == ATN_OK)
        status = atn_lab_path(lab, "job", job, err);
    if (status == ATN_OK)
        status = atn_lab_make_folder(job, err);
    if (status == ATN_OK)
        status = keep_topology(lab, err);
    if (status == ATN_OK)
        status = write_text(lab, "hosts", atn_lab_etc_hosts(lab), err);
    return status == ATN_OK ? link_agent(lab, err) : status;
}

/* ---- namespaces ---- */

static void space_name(const atn_lab *lab, int i, char out[ATN_LAB_PATH])
{
    const int host = i - ATN_SPACE_HOSTS;
    const char *name = host >= 0 ? lab->topo->nodes[lab->hosts.v[host]].name : lab->frontend;
    snprintf(out, ATN_LAB_PATH, "attune.%s%s%s", lab->name, i == ATN_SPACE_FABRIC ? "" : ".",
             i == ATN_SPACE_FABRIC ? "" : name);
}

static atn_status make_spaces(atn_lab *lab, atn_error *err)
{
    char name[ATN_LAB_PATH];
    atn_status status = ATN_OK;
    for (int i = 0; i < ATN_SPACE_HOSTS + lab->hosts.n && status == ATN_OK; i++) {
        space_name(lab, i, name);
        status = interrupted ? atn_fail(err, ATN_ENVIRONMENT, "interrupted")
                             : atn_lab_space_make(lab, name, err);
    }
    return status;
}

/* Runs batches of ip and tc in a namespace; takes the texts. */
static atn_status run_batches(const atn_lab *lab, int space, char *links, char *rates,
                              atn_error *err)
{
    static const char *const ip[] = {"ip", "-batch", "-", NULL};
    static const char *const tc[] = {"tc", "-batch", "-", NULL};
    int home;
    atn_status status = atn_lab_space_enter(&lab->spaces.v[space], &home, err);
    if (status == ATN_OK) {
        if (interrupted)
            status = atn_fail(err, ATN_ENVIRONMENT, "interrupted");
        else if (links == NULL || rates == NULL)
            status = atn_fail(err, ATN_MEMORY, "out of memory");
        else
            status = atn_lab_call("ip", ip, links, err);
        if (status == ATN_OK && *rates != '\0')
            status = atn_lab_call("tc", tc, rates, err);
        const atn_status back = atn_lab_space_leave(home, err);
        status = status != ATN_OK ? status : back;
    }
    free(links);
    free(rates);
    return status;
}

static atn_status make_links(const atn_lab *lab, atn_error *err)
{
    atn_status status = run_batches(lab, ATN_SPACE_FABRIC, atn_lab_fabric_links(lab),
                                    atn_lab_fabric_rates(lab), err);
    for (int i = -1; i < lab->hosts.n && status == ATN_OK; i++)
        status = run_batches(lab, ATN_SPACE_HOSTS + i, atn_lab_host_links(lab, i),
                             atn_lab_host_rates(lab, i), err);
    return status;
}

/* ---- delay lines ---- */

typedef ATN_VEC(char *) word_list;

static bool add_word(word_list *words, const char *text)
{
    char *copy = strdup(text);
    if (copy != NULL && atn_push(words, copy))
        return true;
    free(copy);
    return false;
}

/* attune-delay UPPER LOWER NANOSECONDS ... */
static bool delay_words(const atn_lab *lab, const char *program, word_list *words)
{
    char text[32];
    bool fits = add_word(words, program);
    for (int v = 0; v < lab->topo->nnodes && fits; v++)
        if (atn_lab_delayed(lab, v)) {
            atn_lab_upper(v, text);
            fits = add_word(words, text);
            atn_lab_lower(v, text);
            fits = fits && add_word(words, text);
            snprintf(text, sizeof text, "%lld", (long long)lab->topo->nodes[v].delay_ns);
            fits = fits && add_word(words, text);
        }
    return fits && atn_push(words, NULL);
}

/* It prints a line when its interfaces exist, or an error message. */
static atn_status await_delay(int fd, atn_error *err)
{
    char output[256] = "";
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    const int got = poll(&wait, 1, 10000);
    const ssize_t n = got > 0 ? read(fd, output, sizeof output - 1) : 0;
    output[n > 0 ? strcspn(output, "\n") : 0] = '\0';
    if (strcmp(output, "ready") == 0)
        return ATN_OK;
    return atn_fail(err, ATN_ENVIRONMENT, "delay lines cannot be started: %s",
                    *output != '\0' ? output : "no answer");
}

static void become_delay(char *const *words, int out)
{
    const int null = open("/dev/null", O_RDWR);
    setsid();
    if (dup2(null, 0) == 0 && dup2(out, 1) == 1 && dup2(null, 2) == 2)
        execv(words[0], words);
    dprintf(out, "%s: %s\n", words[0], strerror(errno));
    _exit(127);
}

/* It needs no record of its own: being in the fabric's namespace, `down` finds it there. */
static atn_status spawn_delay(const atn_lab *lab, char *const *words, atn_error *err)
{
    int home, ends[2];
    atn_status status = atn_lab_space_enter(&lab->spaces.v[ATN_SPACE_FABRIC], &home, err);
    if (status != ATN_OK)
        return status;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        status = atn_fail(err, ATN_ENVIRONMENT, "no pipe: %s", strerror(errno));
    } else {
        const pid_t pid = fork();
        if (pid == 0)
            become_delay(words, ends[1]);
        close(ends[1]);
        status = await_delay(ends[0], err);
        close(ends[0]);
    }
    const atn_status back = atn_lab_space_leave(home, err);
    return status != ATN_OK ? status : back;
}

static atn_status start_delays(const atn_lab *lab, atn_error *err)
{
    char program[ATN_LAB_PATH];
    word_list words = {0};
    atn_status status = atn_lab_find("attune-delay", program, err);
    if (status == ATN_OK && !delay_words(lab, program, &words))
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK && words.n > 2)
        status = spawn_delay(lab, words.v, err);
    for (int i = 0; i < words.n; i++)
        free(words.v[i]);
    atn_vec_free(&words);
    return status;
}

/* ---- the lab ---- */

enum { FIRST_NETWORK = 64, LAST_NETWORK = 191 };

static atn_status choose_network(atn_lab *lab, atn_error *err)
{
    atn_lab_names names = {0};
    bool used[256] = {false};
    atn_status status = atn_lab_list(&names, err);
    for (int i = 0; i < names.n; i++) {
        atn_lab other;
        if (atn_lab_read(names.v[i], &other, NULL) == ATN_OK)
            used[other.network & 255] = true;
        atn_lab_close(&other);
    }
    atn_lab_names_free(&names);
    lab->network = FIRST_NETWORK;
    while (lab->network <= LAST_NETWORK && used[lab->network])
        lab->network++;
    if (status == ATN_OK && lab->network > LAST_NETWORK)
        status = atn_fail(err, ATN_ENVIRONMENT, "there are %d labs already; remove some",
                          LAST_NETWORK - FIRST_NETWORK + 1);
    return status;
}

static atn_status build(atn_lab *lab, atn_error *err)
{
    atn_status status = fill_folder(lab, err);
    if (status == ATN_OK)
        status = atn_lab_kernel_raise(lab->hosts.n, err);
    if (status == ATN_OK)
        status = make_spaces(lab, err);
    if (status == ATN_OK)
        status = start_delays(lab, err);
    if (status == ATN_OK)
        status = make_links(lab, err);
    return status == ATN_OK ? atn_lab_record(lab, err, "ready") : status;
}

/* The folder appears at once or not at all, so two of the same name cannot both succeed. */
static atn_status claim(atn_lab *lab, atn_error *err)
{
    int lock = -1;
    atn_status status = atn_lab_lock(&lock, err);
    if (status == ATN_OK && access(lab->folder, F_OK) == 0)
        status = atn_fail(err, ATN_INPUT,
                          "lab '%s' already exists; remove it with `attune lab down --name %s`, "
                          "or give this one another --name",
                          lab->name, lab->name);
    if (status == ATN_OK)
        status = choose_network(lab, err);
    if (status == ATN_OK && mkdir(lab->folder, 0755) != 0)
        status = atn_fail(err, ATN_ENVIRONMENT, "%s: %s", lab->folder, strerror(errno));
    if (status == ATN_OK) {
        catch_signals();
        status = build(lab, err);
        if (status != ATN_OK) {
            close(lock);
            atn_lab_down(lab->name, NULL, NULL);
            return status;
        }
    }
    if (lock >= 0)
        close(lock);
    return status;
}

static bool has_delays(const atn_lab *lab)
{
    for (int v = 0; v < lab->topo->nnodes; v++)
        if (atn_lab_delayed(lab, v))
            return true;
    return false;
}

atn_status atn_lab_up(const char *name, const char *topology, int mtu, atn_error *err)
{
    atn_lab lab = {.mtu = mtu};
    if (!atn_lab_valid_name(name))
        return atn_fail(err, ATN_USAGE,
                        "'%s' cannot name a lab: use at most %d letters, digits, - and _", name,
                        ATN_LAB_NAME_MAX);
    snprintf(lab.name, sizeof lab.name, "%s", name);
    snprintf(lab.folder, sizeof lab.folder, ATN_LAB_ROOT "/%s", name);
    atn_status status = atn_topo_load(topology, &lab.topo, err);
    if (status == ATN_OK && lab.topo->routes)
        status = atn_fail(err, ATN_INPUT,
                          "%s: a lab has the switches of a tree, this network has other routes; "
                          "use a tree, or simulate it with attune sim",
                          topology);
    if (status == ATN_OK)
        status = atn_lab_layout(&lab, err);
    if (status == ATN_OK)
        status = atn_lab_check(has_delays(&lab), err);
    if (status == ATN_OK)
        status = claim(&lab, err);
    atn_lab_close(&lab);
    return status;
}
