/* classes_exec.c - call classes of a tuning driver: memory for them grows with their number, and if
 * a rank has none, all ranks stop at the same class. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "tune/drivers/driver.h"

/* ---- a lack of memory ---- */

static bool lacking; /* for the next allocation */
static long lacked;

#ifdef __SANITIZE_ADDRESS__
static const bool replaced = false;
#else
static const bool replaced = true;
extern void *__libc_calloc(size_t, size_t);
void *calloc(size_t n, size_t each)
{
    const bool fails = lacking;
    lacked += fails;
    lacking = false;
    return fails ? NULL : __libc_calloc(n, each);
}
#endif

/* ---- the driver ---- */

static atn_advice expect(void *context, const atn_call_class *x)
{
    (void)context, (void)x;
    return ATN_ADVICE_FIXED;
}

static void advised(void *context, const atn_call_class *x, atn_advice advice)
{
    (void)x, (void)advice;
    ++*(int *)context;
}

static atn_driver *new_driver(int *count)
{
    const atn_driver_setup setup = {.p = t_ranks,
                                    .r = t_rank,
                                    .comm = MPI_COMM_WORLD,
                                    .bcast = MPI_Bcast,
                                    .allreduce = MPI_Allreduce,
                                    .iallreduce = MPI_Iallreduce,
                                    .tune = atn_tune_defaults,
                                    .budget = 20,
                                    .expect = expect,
                                    .advised = advised,
                                    .context = count};
    atn_driver *const d = atn_tune_driver_new(&setup);
    if (d == NULL)
        t_die("no memory for a driver");
    return d;
}

static atn_call_class *class_of(atn_driver *d, int i)
{
    const atn_subject s = {.q = {.op = ATN_BCAST, .p = t_ranks, .bytes = 8},
                           .context = (uint64_t)i};
    return atn_tune_driver_class(d, &s);
}

/* The same class again, at the same address, also after others were added. */
static void check_all(void)
{
    enum { MANY = ATN_TUNERS_MOST + 10 };
    int begun = 0;
    atn_driver *const d = new_driver(&begun);
    atn_call_class *all[MANY];
    for (int i = 0; i < MANY; i++) {
        all[i] = class_of(d, i);
        t_check((all[i] != NULL) == (i < ATN_TUNERS_MOST), "class %d", i);
    }
    for (int i = 0; i < MANY; i++)
        t_check(class_of(d, i) == all[i], "class %d has moved", i);
    t_check(begun == ATN_TUNERS_MOST && atn_tune_driver_classes(d) == begun, "%d classes", begun);
    atn_tune_driver_free(d);
}

/* The last rank has no memory for more than `n` classes when it needs it; later it has. */
static void check_lack(int n)
{
    int begun = 0, least = 0, most = 0;
    atn_driver *const d = new_driver(&begun);
    lacked = 0;
    for (int i = 0; i < ATN_TUNERS_MOST; i++) {
        lacking = i == n && t_rank == t_ranks - 1;
        class_of(d, i);
    }
    lacking = false;
    t_check(t_rank < t_ranks - 1 || lacked == 1, "memory lacked %ld times", lacked);
    MPI_Allreduce(&begun, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&begun, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    t_check(least == n && most == n, "%d to %d classes, expected %d", least, most, n);
    atn_tune_driver_free(d);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(60);
    t_point("all classes");
    check_all();
    t_point("a rank without memory");
    if (!replaced)
        t_skip("allocations cannot be replaced");
    for (int n = 4; replaced && n < ATN_TUNERS_MOST; n *= 2)
        check_lack(n);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
