/* differential.c - the random program of a seed.  run-random-programs compares what it prints
 * natively and with Attune.
 *
 *   differential SEED STEPS [FIRST-LAST,...]   runs these steps, by default all
 *   differential SEED STEPS LIST print         prints them as a C program with the same result */
#include "steps.h"

#include <stdlib.h>
#include <string.h>

/* Whether a number is in a list of numbers and ranges. */
static bool listed(const char *list, int number)
{
    while (list && *list) {
        char *end;
        const long first = strtol(list, &end, 10),
                   last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if (number >= first && number <= last)
            return true;
        list = *end == ',' ? end + 1 : NULL;
    }
    return false;
}

static void print_program(uint64_t seed, int steps, const char *list, bool threads)
{
    printf("/* Seed %llu.  Needs the helpers in tests/mpi. */\n#include \"steps.h\"\n\n"
           "int main(int argc, char **argv)\n{\n    t_steps_begin(&argc, &argv, %s);\n",
           (unsigned long long)seed, threads ? "true" : "false");
    for (int i = 0; i < steps; i++) {
        const t_step s = t_step_draw(seed, i);
        if (listed(list, i))
            t_step_print(stdout, &s);
    }
    printf("    return t_steps_end();\n}\n");
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int steps = argc > 2 ? atoi(argv[2]) : 100;
    const char *list = argc > 3 ? argv[3] : "0-99999";
    const bool prints = argc > 4 && strcmp(argv[4], "print") == 0, threads = seed % 4 == 0;
    t_steps_begin(&argc, &argv, threads);
    if (prints && t_rank == 0)
        print_program(seed, steps, list, threads);
    for (int i = 0; i < steps && !prints; i++) {
        const t_step s = t_step_draw(seed, i);
        if (listed(list, i))
            t_step_run(&s);
    }
    return t_steps_end();
}
