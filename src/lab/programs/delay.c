/* delay.c - delay lines: attune-delay A B NANOSECONDS [A B NANOSECONDS ...]
 *
 * Makes the TAP interfaces A and B and hands every frame that enters one of them out of the other
 * after the given time.  One thread per line.  Not every kernel has the netem queue, and a delay of
 * one's own is the same everywhere.  Prints "ready" or an error message on standard output. */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { FRAME_MAX = 65536, BATCH = 64, WAITING_MAX = 262144 };

typedef struct frame {
    struct frame *next;
    int64_t due_ns;
    int bytes;
    char data[];
} frame;

/* One direction: frames in the order of their time. */
typedef struct {
    int from, to;
    frame *first, **last;
    int waiting;
} direction;

typedef struct {
    direction way[2];
    int64_t delay_ns;
} line;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* ---- frames ---- */

/* False: nothing to read.  A full line loses frames, as a full switch does. */
static int take_frame(direction *d, int64_t delay_ns)
{
    static _Thread_local char buffer[FRAME_MAX];
    const ssize_t n = read(d->from, buffer, sizeof buffer);
    frame *f = n > 0 && d->waiting < WAITING_MAX ? malloc(sizeof *f + (size_t)n) : NULL;
    if (f != NULL) {
        *f = (frame){.due_ns = now_ns() + delay_ns, .bytes = (int)n};
        memcpy(f->data, buffer, (size_t)n);
        *d->last = f;
        d->last = &f->next;
        d->waiting++;
    }
    return n > 0;
}

/* Hands out what is due; returns when the next frame is, or -1 when none waits. */
static int64_t give_frames(direction *d)
{
    while (d->first != NULL && d->first->due_ns <= now_ns()) {
        frame *f = d->first;
        /* What an interface that is down or full does not take is lost. */
        const ssize_t given = write(d->to, f->data, (size_t)f->bytes);
        (void)given;
        d->first = f->next;
        if (d->first == NULL)
            d->last = &d->first;
        d->waiting--;
        free(f);
    }
    return d->first != NULL ? d->first->due_ns : -1;
}

static void await(const line *l, int64_t due_ns)
{
    struct pollfd fds[2] = {{.fd = l->way[0].from, .events = POLLIN},
                            {.fd = l->way[1].from, .events = POLLIN}};
    const int64_t left = due_ns - now_ns();
    const struct timespec wait = {.tv_sec = left > 0 ? left / 1000000000 : 0,
                                  .tv_nsec = left > 0 ? left % 1000000000 : 0};
    ppoll(fds, 2, due_ns < 0 ? NULL : &wait, NULL);
}

static void *serve(void *arg)
{
    line *l = arg;
    for (;;) {
        int64_t due = -1;
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < BATCH && take_frame(&l->way[i], l->delay_ns); k++)
                ;
        for (int i = 0; i < 2; i++) {
            const int64_t next = give_frames(&l->way[i]);
            due = next >= 0 && (due < 0 || next < due) ? next : due;
        }
        await(l, due);
    }
    return NULL;
}

/* ---- setting up ---- */

static int open_tap(const char *name)
{
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    const int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    if (fd >= 0 && ioctl(fd, TUNSETIFF, &request) == 0)
        return fd;
    printf("interface %s: %s\n", name, strerror(errno));
    exit(4);
}

/* On time even when ranks fill all cores.  Where real-time priority is not granted, the delay is
 * only less exact. */
static void hurry(void)
{
    const struct sched_param priority = {.sched_priority = 50};
    sched_setscheduler(0, SCHED_FIFO, &priority);
    prctl(PR_SET_TIMERSLACK, 1);
}

static void make_line(line *l, char **words)
{
    const int a = open_tap(words[0]), b = open_tap(words[1]);
    l->delay_ns = atoll(words[2]);
    l->way[0] = (direction){.from = a, .to = b, .last = &l->way[0].first};
    l->way[1] = (direction){.from = b, .to = a, .last = &l->way[1].first};
}

int main(int argc, char **argv)
{
    const int n = (argc - 1) / 3;
    line *lines = calloc((size_t)n + 1, sizeof *lines);
    if (n == 0 || argc != 1 + 3 * n || lines == NULL) {
        printf("usage: attune-delay A B NANOSECONDS [A B NANOSECONDS ...]\n");
        return 2;
    }
    for (int i = 0; i < n; i++)
        make_line(&lines[i], argv + 1 + 3 * i);
    hurry();
    for (int i = 1; i < n; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, &lines[i]) != 0) {
            printf("no thread for a delay line\n");
            return 4;
        }
    }
    printf("ready\n");
    fflush(stdout);
    serve(&lines[0]);
    return 0;
}
