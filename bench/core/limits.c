/* limits.c - limits of the machine for messages inside of a host, without MPI: the one-way latency
 * of a flag between two processes on two processors, that of a message to a process that sleeps
 * (wake), and the time of a memcpy, with buffers that are in no cache (cold) and that were just
 * used (warm).
 *
 *   limits [ROUNDS]
 *   limits channel [ROUNDS]    compares messages of 8 bytes through a channel with a flag
 *
 * Prints CSV: limit, bytes, rounds, and median and 95 % confidence interval in microseconds; for
 * channel: operation, bytes, rounds, medians of limit and operation in microseconds, and the median
 * of limit / operation with its 95 % confidence interval. */
#include "../pingpong.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "shm/channel.h"
#include "shm/wait.h"

enum { TRIPS = 2000, ARENA = 256 << 20 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print(const char *limit, size_t bytes, double *seconds, int rounds)
{
    const estimate e = estimate_of(seconds, rounds);
    printf("%s,%zu,%d,%.4f,%.4f,%.4f\n", limit, bytes, rounds, 1e6 * e.mid, 1e6 * e.lo, 1e6 * e.hi);
}

static void *map(size_t bytes, int how)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, how | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    return at;
}

/* ---- latency ---- */

static cpu_set_t allowed;

/* Two processes: flags, a channel in each direction, and bells. */
typedef struct {
    pingpong flags;
    atn_shm_bell bell[2];
} meeting;

typedef struct {
    meeting *shared;
    int side;
    pid_t child; /* 0: this is the child */
    uint64_t count;
    atn_shm_end out, in;
    atn_shm_waiting waiting;
} partner;

static partner begin(void)
{
    const size_t head = (sizeof(meeting) + 4095) / 4096 * 4096;
    char *const memory = map(head + 2 * atn_shm_channel_bytes(2), MAP_SHARED);
    partner p = {.shared = (meeting *)memory, .child = fork()};
    p.side = p.child == 0;
    pingpong_pin(p.side);
    for (int i = 0; i < 2; i++) {
        atn_shm_end *const end = i == p.side ? &p.out : &p.in;
        *end = (atn_shm_end){
            .ring = (atn_shm_ring *)(memory + head + (size_t)i * atn_shm_channel_bytes(2)),
            .bell = &p.shared->bell[1 - p.side],
            .direct = INT64_MAX};
    }
    p.waiting =
        (atn_shm_waiting){.bell = &p.shared->bell[p.side], .bells = atn_shm_bell_register()};
    return p;
}

static void end(const partner *p)
{
    if (p->side == 1)
        _exit(0);
    waitpid(p->child, NULL, 0);
    sched_setaffinity(0, sizeof allowed, &allowed);
}

static void send(partner *p)
{
    while (atn_shm_send_small(&p->out, (const char *)&p->count, 8) == ATN_SHM_BUSY)
        continue;
}
static void receive(partner *p)
{
    atn_shm_wait w = {.how = &p->waiting};
    uint64_t got, flag;
    while ((flag = atn_shm_arrived(&p->in)) == 0)
        atn_shm_wait_pause(&w);
    atn_shm_wait_end(&w);
    atn_shm_copy_small((char *)&got, atn_shm_next_slot(&p->in)->data, 8);
    atn_shm_consume(&p->in, ATN_SHM_SLOTS, false);
}

static double flag_seconds(partner *p)
{
    const double start = now();
    pingpong_run(&p->shared->flags, p->side, &p->count, TRIPS);
    return (now() - start) / (2.0 * TRIPS);
}
static double channel_seconds(partner *p)
{
    const double start = now();
    for (int i = 0; i < TRIPS; i++) {
        if (p->side == 0)
            send(p);
        receive(p);
        if (p->side == 1)
            send(p);
    }
    return (now() - start) / (2.0 * TRIPS);
}
/* The other process sleeps after half a millisecond. */
static double wake_seconds(partner *p)
{
    const double start = now();
    while (p->side == 0 && now() - start < 5e-3)
        continue;
    const double sent = now();
    if (p->side == 0)
        send(p);
    receive(p);
    if (p->side == 1)
        send(p);
    return now() - sent;
}

static void measure_latency(const char *name, double (*run)(partner *p), double *seconds,
                            int rounds)
{
    partner p = begin();
    for (int i = -1; i < rounds; i++) { /* the first round is a warm-up */
        const double took = run(&p);
        if (i >= 0)
            seconds[i] = took;
    }
    end(&p);
    print(name, 8, seconds, rounds);
}

/* The latency depends on the addresses, so there are several meetings, in new memory. */
static void compare_channel(int rounds)
{
    double *const flag = calloc((size_t)rounds * 3, sizeof *flag), *const own = flag + rounds;
    double *const ratio = own + rounds;
    partner p;
    for (int i = 0; i < rounds; i++) {
        if (i % 4 == 0) {
            p = begin();
            flag_seconds(&p);
            channel_seconds(&p);
        }
        const double first = (i % 2 ? channel_seconds : flag_seconds)(&p);
        const double second = (i % 2 ? flag_seconds : channel_seconds)(&p);
        flag[i] = i % 2 ? second : first;
        own[i] = i % 2 ? first : second;
        ratio[i] = flag[i] / own[i];
        if (i % 4 == 3 || i == rounds - 1)
            end(&p);
    }
    const estimate a = estimate_of(flag, rounds), b = estimate_of(own, rounds);
    const estimate r = estimate_of(ratio, rounds);
    puts("operation,bytes,rounds,limit_us,own_us,ratio,lo,hi");
    printf("channel,8,%d,%.4f,%.4f,%.4f,%.4f,%.4f\n", rounds, 1e6 * a.mid, 1e6 * b.mid, r.mid, r.lo,
           r.hi);
    free(flag);
}

/* ---- bandwidth ---- */

/* Cold: the next part of a large arena in every round. */
static void measure_copy(const char *name, char *arena, size_t step, size_t bytes, double *seconds,
                         int rounds)
{
    size_t at = 0;
    for (int i = -1; i < rounds; i++, at += step) {
        if (at + 2 * bytes > ARENA)
            at = 0;
        const double start = now();
        memcpy(arena + at, arena + at + bytes, bytes);
        if (i >= 0)
            seconds[i] = now() - start;
    }
    print(name, bytes, seconds, rounds);
}

int main(int argc, char **argv)
{
    const bool channel = argc > 1 && strcmp(argv[1], "channel") == 0;
    const char *const number = argv[argc > 1 && channel ? 2 : 1];
    const int rounds = number != NULL && atoi(number) > 5 ? atoi(number) : 101;
    atn_clock_start();
    sched_getaffinity(0, sizeof allowed, &allowed);
    if (channel) {
        compare_channel(rounds);
        return 0;
    }
    double *seconds = calloc((size_t)rounds, sizeof *seconds);
    char *arena = map(ARENA, MAP_PRIVATE);
    memset(arena, 1, ARENA);
    puts("limit,bytes,rounds,us,lo,hi");
    measure_latency("flag", flag_seconds, seconds, rounds);
    measure_latency("wake", wake_seconds, seconds, rounds);
    for (size_t bytes = 64 << 10; bytes <= 4 << 20; bytes *= 4) {
        measure_copy("cold", arena, 2 * bytes, bytes, seconds, rounds);
        measure_copy("warm", arena, 0, bytes, seconds, rounds);
    }
    free(seconds);
    return 0;
}
