/* request_exec.c - answers of rank 0 are the same on all ranks, whether they wait for them or
 * complete the distribution in a later call; until rank 0 has one they receive that. */
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "tune/drivers/request.h"

static atn_choice choice_of(char *name)
{
    atn_choice choice;
    if (atn_plan_choice_read(ATN_BCAST, name, &choice, NULL) != ATN_OK)
        t_die("%s cannot be read", name);
    return choice;
}

/* As rank 0 makes it. */
static void make_set(atn_candidate_set *set, int n)
{
    *set = (atn_candidate_set){.from_wisdom = n - 1, .wisdom_ps = 5, .at_once = true};
    for (int i = 0; i < n; i++) {
        char name[64];
        snprintf(name, sizeof name, "chain{segment=%dK}", i + 1);
        const atn_choice choice = choice_of(name);
        atn_tune_candidate_set_add(set, &choice, 1000 + i, 300);
    }
}

static void check_set(atn_advice_request *x, int n)
{
    static atn_candidate_set expected, set;
    make_set(&expected, n);
    t_check(atn_tune_candidate_set_read(ATN_BCAST, x->text, &set), "the text cannot be read");
    t_check(set.n == n && set.from_wisdom == n - 1, "%d candidates, expected %d", set.n, n);
    for (int i = 0; i < set.n; i++)
        t_check(set.choice[i].row == expected.choice[i].row && set.is[i].id == expected.is[i].id &&
                    set.is[i].predicted_ps == expected.is[i].predicted_ps,
                "candidate %d differs", i);
}

/* Other collectives may run before the distribution is complete. */
static void distribute(atn_advice_request *x, int bytes)
{
    int one = 1, sum = 0;
    t_check(atn_tune_request_begin(x, bytes, MPI_COMM_WORLD) == MPI_SUCCESS, "cannot begin");
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    t_check(sum == t_ranks, "a sum of %d", sum);
    t_check(atn_tune_request_end(x) == MPI_SUCCESS, "cannot complete");
}

static void check_later_completion(void)
{
    static atn_large_request large;
    static atn_candidate_set set;
    atn_advice_request *const x = &large.request;
    const int bytes = 2 * ATN_SET_LINE;
    t_point("none waits");
    x->active = MPI_REQUEST_NULL;
    x->answer.advice = t_rank == 0 ? ATN_ADVICE_LATER : ATN_ADVICE_RACE;
    distribute(x, bytes);
    t_check(x->answer.advice == ATN_ADVICE_LATER, "an answer before rank 0 has one");
    make_set(&set, 1);
    if (t_rank == 0)
        atn_tune_request_answer(x, ATN_ADVICE_FIXED, &set);
    distribute(x, bytes);
    t_check(x->answer.advice == ATN_ADVICE_FIXED, "advice %d", (int)x->answer.advice);
    t_check(x->answer.bytes == (int64_t)strlen(x->text) + 1 && x->answer.bytes <= bytes, "%d bytes",
            (int)x->answer.bytes);
    check_set(x, 1);
}

/* Longer than a wait without sleeping. */
static void check_waiting(int n)
{
    static atn_large_request large;
    static atn_candidate_set set;
    atn_advice_request *const x = &large.request;
    x->answer = (atn_answer){.pause = -1};
    make_set(&set, n);
    if (t_rank == 0) {
        usleep(5000);
        x->answer.off = (atn_deferral){.costs = true, .cost_ns = 7};
        atn_tune_request_answer(x, ATN_ADVICE_RACE, &set);
    }
    t_check(atn_tune_request_wait(x, 0, MPI_COMM_WORLD) == MPI_SUCCESS, "cannot wait");
    t_check(x->answer.advice == ATN_ADVICE_RACE && x->answer.off.costs &&
                x->answer.off.cost_ns == 7 && x->answer.pause == -1,
            "the answer differs");
    t_check(t_rank == 0 || *x->text == '\0', "text that was not requested");
    MPI_Bcast(x->text, (int)x->answer.bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    check_set(x, n);
    memset(x->text, 0, ATN_SET_TEXT);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(60);
    check_later_completion();
    t_point("all wait");
    for (int n = 1; n <= ATN_TUNE_CANDIDATES; n++)
        check_waiting(n);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
