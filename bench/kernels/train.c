/* train.c - trains a neural network to classify ten noisy patterns, with two layers of weights
 * (784 -> 128 -> 10, single precision).  Each batch is distributed over the ranks; MPI_Allreduce
 * adds the gradients, and every rank makes the same step.
 *
 *   train [STEPS [BATCH]]      at least 8 steps; samples per step over all ranks
 *
 * Rank 0 prints the total time; the loss must have halved, and the ranks must have the same
 * weights. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 784, HIDDEN = 128, CLASSES = 10 };
enum { FIRST = HIDDEN * (INPUTS + 1), WEIGHTS = FIRST + CLASSES * (HIDDEN + 1) };

typedef struct {
    float weight[WEIGHTS];       /* of each unit: its bias, then one for each input */
    float gradient[WEIGHTS + 1]; /* and the loss, which is added up with it */
    float pattern[CLASSES][INPUTS];
} network;

static uint64_t state; /* of the random numbers of this rank */

static float uniform(void) /* -1 .. 1 */
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)(int32_t)(state >> 32) * 0x1p-31f;
}

/* The same on all ranks. */
static void begin_equal(network *w)
{
    state = 1;
    for (int i = 0; i < WEIGHTS; i++)
        w->weight[i] = uniform() * (i < FIRST ? 0.05f : 0.1f);
    for (int c = 0; c < CLASSES; c++)
        for (int i = 0; i < INPUTS; i++)
            w->pattern[c][i] = uniform() > 0 ? 0.5f : -0.5f;
}

static float weighted(const float *weight, const float *in, int n)
{
    float sum = weight[0];
    for (int i = 0; i < n; i++)
        sum += weight[i + 1] * in[i];
    return sum;
}

static void add(float *sum, float factor, const float *in, int n)
{
    sum[0] += factor;
    for (int i = 0; i < n; i++)
        sum[i + 1] += factor * in[i];
}

/* Turns the output of the last layer into probabilities; returns the loss of the right answer. */
static float softmax(float *out, int answer)
{
    float most = out[0], sum = 0;
    for (int c = 1; c < CLASSES; c++)
        most = fmaxf(most, out[c]);
    for (int c = 0; c < CLASSES; c++)
        sum += out[c] = expf(out[c] - most);
    for (int c = 0; c < CLASSES; c++)
        out[c] /= sum;
    return -logf(fmaxf(out[answer], 1e-30f));
}

/* Adds the contribution of one sample to the gradient and to the loss. */
static void learn(network *w, const float *in, int answer)
{
    float hidden[HIDDEN], back[HIDDEN] = {0}, out[CLASSES];
    for (int h = 0; h < HIDDEN; h++)
        hidden[h] = tanhf(weighted(w->weight + h * (INPUTS + 1), in, INPUTS));
    for (int c = 0; c < CLASSES; c++)
        out[c] = weighted(w->weight + FIRST + c * (HIDDEN + 1), hidden, HIDDEN);
    w->gradient[WEIGHTS] += softmax(out, answer);
    for (int c = 0; c < CLASSES; c++) {
        const float wrong = out[c] - (c == answer ? 1.0f : 0.0f);
        const float *const weight = w->weight + FIRST + c * (HIDDEN + 1);
        for (int h = 0; h < HIDDEN; h++)
            back[h] += wrong * weight[h + 1];
        add(w->gradient + FIRST + c * (HIDDEN + 1), wrong, hidden, HIDDEN);
    }
    for (int h = 0; h < HIDDEN; h++)
        add(w->gradient + h * (INPUTS + 1), back[h] * (1 - hidden[h] * hidden[h]), in, INPUTS);
}

/* One step of all ranks; returns the mean loss before it. */
static float step(network *w, int own, int all)
{
    float in[INPUTS];
    memset(w->gradient, 0, sizeof w->gradient);
    for (int k = 0; k < own; k++) {
        const int answer = (int)((uniform() + 1) * 0.499f * CLASSES);
        for (int i = 0; i < INPUTS; i++)
            in[i] = w->pattern[answer][i] + uniform();
        learn(w, in, answer);
    }
    MPI_Allreduce(MPI_IN_PLACE, w->gradient, WEIGHTS + 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < WEIGHTS; i++)
        w->weight[i] -= 0.05f / (float)all * w->gradient[i];
    return w->gradient[WEIGHTS] / (float)all;
}

/* Reordered sums may differ in the last digits. */
static int are_equal(const network *w)
{
    double both[2] = {0}, most[2];
    for (int i = 0; i < WEIGHTS; i++)
        both[0] += fabsf(w->weight[i]);
    both[1] = -both[0];
    MPI_Allreduce(both, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most[0] + most[1] <= 1e-4 * most[0];
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 20, batch = argc > 2 ? atoi(argv[2]) : 128;
    float before = 0, after = 0;
    int p, r;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    network *const w = malloc(sizeof *w);
    if (!w)
        MPI_Abort(MPI_COMM_WORLD, 4);
    begin_equal(w);
    state += (uint64_t)r << 40;
    const int own = batch / p + (r < batch % p);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < steps; i++) {
        after = step(w, own, batch);
        before = i == 0 ? after : before;
    }
    const double seconds = MPI_Wtime() - begin;
    const int good = are_equal(w) && after <= before / 2;
    if (r == 0)
        printf("%.6f s, loss %.3f -> %.3f%s\n", seconds, before, after, good ? "" : ": WRONG");
    free(w);
    MPI_Finalize();
    return good ? 0 : 1;
}
