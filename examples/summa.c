/* summa.c - a matrix product C = A B on processes of different speed (SUMMA).
 *
 *   mpirun -n P summa speeds BLOCKS SIDE [DELAYS]    a layout with the speed of every process
 *   mpirun -n P summa run LAYOUT [DELAYS]            the product, on the rectangles of a layout
 *
 * The matrices have BLOCKS x BLOCKS blocks of SIDE x SIDE doubles.  DELAYS slow processes down in
 * a controlled way: with 1,3 every second process sleeps three times as long as it computes, so
 * that its speed is a quarter.  'attune model partition' divides the matrix by these speeds
 * (docs/models.md); in the layout the sides of blocks follow from their bytes.
 *
 * In iteration k the owners of block column k of A send their blocks to the processes of other
 * columns with the same rows (MPI_Isend); in every column the owner of block row k of B broadcasts
 * it (MPI_Bcast).  Then every process updates its rectangle.  Rank 0 prints the times of the
 * slowest process, that predicted from the speeds of the layout, and the blocks that were sent; the
 * exit status is 1 if C x differs from A (B x).  The program does not use Attune itself. */
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64, POINTS = 4 };

typedef struct {
    int column, top, height; /* of the rectangle */
    double speed;            /* block updates per second; 0: unknown */
} process;

typedef struct {
    int p, r;
    int blocks, side;
    int columns, left[MOST + 1]; /* first block column of each column of rectangles */
    process of[MOST];
    double delay;              /* seconds of sleep for each second of computation */
    double *a, *b, *c;         /* own rectangles, row by row of blocks */
    double *pivot_a, *pivot_b; /* block column of A with own rows, block row of B */
    MPI_Comm down;             /* processes of the own column, from the top */
    double communication_s, computation_s;
    long sent; /* blocks */
} summa;

static double *numbers(long n)
{
    double *v = calloc((size_t)n + 1, sizeof *v);
    if (v == NULL)
        MPI_Abort(MPI_COMM_WORLD, 4);
    return v;
}

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "summa: %s: %s\n", what, why);
    return 3;
}

/* ---- computation ---- */

/* c += a b for one block. */
static void multiply(double *c, const double *a, const double *b, int side)
{
    for (int i = 0; i < side; i++)
        for (int k = 0; k < side; k++) {
            const double x = a[i * side + k];
            for (int j = 0; j < side; j++)
                c[i * side + j] += x * b[k * side + j];
        }
}

static void rest(double seconds)
{
    const struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    if (seconds > 0)
        nanosleep(&t, NULL);
}

/* One update of height x width blocks; the processor time, so that other processes do not count,
 * and the sleep of a slow process. */
static void update(const summa *s, double *c, const double *a, const double *b, int height,
                   int width)
{
    const long block = (long)s->side * s->side;
    struct timespec before, after;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++)
            multiply(c + (i * (long)width + j) * block, a + i * block, b + j * block, s->side);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    rest(s->delay * ((double)(after.tv_sec - before.tv_sec) +
                     1e-9 * (double)(after.tv_nsec - before.tv_nsec)));
}

/* ---- speeds ---- */

/* Updates per second of a square of about n blocks. */
static double speed_of(const summa *s, int n)
{
    const long block = (long)s->side * s->side;
    const int edge = (int)ceil(sqrt(n));
    double *c = numbers(edge * (long)edge * block), *a = numbers(edge * block),
           *b = numbers(edge * block);
    int times = 0;
    update(s, c, a, b, edge, edge); /* warm-up */
    const double begin = MPI_Wtime();
    double now = begin;
    for (; now - begin < 0.5 || times < 5; times++) {
        update(s, c, a, b, edge, edge);
        now = MPI_Wtime();
    }
    free(a);
    free(b);
    free(c);
    return (double)edge * edge * times / (now - begin);
}

/* Processes run at the same time, as in the product. */
static int measure_speeds(summa *s)
{
    double mine[2 * POINTS], *all = numbers(2L * POINTS * s->p);
    char host[MPI_MAX_PROCESSOR_NAME] = "", *hosts = calloc((size_t)s->p, sizeof host);
    int length, n = s->blocks * s->blocks / s->p / 16;
    for (int i = 0; i < POINTS; i++, n *= 3) {
        const int edge = (int)ceil(sqrt(n > 0 ? n : 1));
        mine[2 * i] = edge * edge;
        MPI_Barrier(MPI_COMM_WORLD);
        mine[2 * i + 1] = speed_of(s, edge * edge);
    }
    MPI_Get_processor_name(host, &length);
    MPI_Gather(mine, 2 * POINTS, MPI_DOUBLE, all, 2 * POINTS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Gather(host, sizeof host, MPI_CHAR, hosts, sizeof host, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (s->r == 0) {
        printf("blocks %d %d\n", s->blocks, (int)sizeof(double) * s->side * s->side);
        for (int r = 0; r < s->p; r++) {
            int local = 0;
            for (int i = 0; i < r; i++)
                local += strcmp(hosts + i * sizeof host, hosts + r * sizeof host) == 0;
            printf("%s %d %d cpu OMP_NUM_THREADS=1\n", hosts + r * sizeof host, local, local);
        }
        for (int r = 0; r < s->p; r++) {
            printf("speed %d", r);
            for (int i = 0; i < POINTS; i++)
                printf(" %.0f:%.6g", all[2 * (r * POINTS + i)], all[2 * (r * POINTS + i) + 1]);
            putchar('\n');
        }
    }
    free(all);
    free(hosts);
    return 0;
}

/* ---- layout ---- */

static int read_column(summa *s, char *words)
{
    char *save, *word = strtok_r(words, " \t\n", &save);
    int top = 0, r, height;
    const int width = word ? atoi(word) : 0;
    if (width < 1 || s->columns == MOST)
        return 1;
    while ((word = strtok_r(NULL, " \t\n", &save)) != NULL) {
        if (sscanf(word, "%d:%d", &r, &height) != 2 || r < 0 || r >= s->p || height < 1)
            return 1;
        s->of[r] = (process){s->columns, top, height, s->of[r].speed};
        top += height;
    }
    s->left[s->columns + 1] = s->left[s->columns] + width;
    s->columns++;
    return top != s->blocks;
}

/* Speeds at the size of the rectangle are comments that 'attune model partition' writes. */
static int read_line(summa *s, char *line)
{
    int r, bytes;
    double blocks, speed;
    char unit = '\0';
    if (sscanf(line, "# process %d: %lf blocks at %lf per second", &r, &blocks, &speed) == 3) {
        if (r >= 0 && r < s->p)
            s->of[r].speed = speed;
        return 0;
    }
    line[strcspn(line, "#")] = '\0';
    if (sscanf(line, "blocks %d %d%c", &s->blocks, &bytes, &unit) >= 2)
        s->side = (int)lround(sqrt(bytes * (unit == 'K' ? 1024.0 : 1.0) / sizeof(double)));
    return strncmp(line, "column ", 7) == 0 ? read_column(s, line + 7) : 0;
}

static int read_layout(summa *s, const char *path)
{
    FILE *f = fopen(path, "r");
    char line[512];
    int bad = 0;
    if (f == NULL)
        return fail(path, "cannot be read");
    while (!bad && fgets(line, sizeof line, f))
        bad = read_line(s, line);
    fclose(f);
    for (int r = 0; r < s->p; r++)
        bad = bad || s->of[r].height == 0;
    if (bad || s->blocks < 1 || s->side < 1 || s->left[s->columns] != s->blocks)
        return fail(path, "no layout for this number of processes; use attune model partition");
    return 0;
}

/* ---- product ---- */

static int width_of(const summa *s, int r)
{
    return s->left[s->of[r].column + 1] - s->left[s->of[r].column];
}

/* Element (i, j) of a matrix, the same on all processes. */
static double element(int which, int i, int j)
{
    return sin(0.7 * (which + 1) + 0.013 * i - 0.029 * j);
}

static void fill(const summa *s, double *v, int which)
{
    const process *me = &s->of[s->r];
    const int width = width_of(s, s->r), n = s->side;
    for (int i = 0; i < me->height; i++)
        for (int j = 0; j < width; j++)
            for (int x = 0; x < n * n; x++)
                *v++ = element(which, (me->top + i) * n + x / n,
                               (s->left[me->column] + j) * n + x % n);
}

static int overlap(const process *x, const process *y, int *from)
{
    const int top = x->top > y->top ? x->top : y->top;
    const int xe = x->top + x->height, ye = y->top + y->height;
    *from = top;
    return (xe < ye ? xe : ye) - top;
}

/* Block column k of A: own rows of every process. */
static void send_column(summa *s, int k)
{
    const long block = (long)s->side * s->side;
    const process *me = &s->of[s->r];
    MPI_Request requests[2 * MOST];
    int n = 0, from, owner = 0;
    while (s->left[owner + 1] <= k)
        owner++;
    if (me->column == owner)
        for (int i = 0; i < me->height; i++)
            memcpy(s->pivot_a + i * block,
                   s->a + (i * (long)width_of(s, s->r) + k - s->left[owner]) * block,
                   (size_t)block * sizeof(double));
    for (int r = 0; r < s->p; r++) {
        const int rows = overlap(me, &s->of[r], &from);
        const bool sends = me->column == owner, takes = s->of[r].column == owner;
        if (rows <= 0 || sends == takes)
            continue;
        double *at = s->pivot_a + (from - me->top) * block;
        if (sends) {
            MPI_Isend(at, (int)(rows * block), MPI_DOUBLE, r, 0, MPI_COMM_WORLD, &requests[n++]);
            s->sent += rows;
        } else {
            MPI_Irecv(at, (int)(rows * block), MPI_DOUBLE, r, 0, MPI_COMM_WORLD, &requests[n++]);
        }
    }
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

/* Block row k of B, down the column. */
static void send_row(summa *s, int k)
{
    const process *me = &s->of[s->r];
    const long row = (long)width_of(s, s->r) * s->side * s->side;
    int root = 0, members;
    for (int r = 0; r < s->p; r++)
        root += s->of[r].column == me->column && s->of[r].top + s->of[r].height <= k;
    if (k >= me->top && k < me->top + me->height)
        memcpy(s->pivot_b, s->b + (k - me->top) * row, (size_t)row * sizeof(double));
    MPI_Bcast(s->pivot_b, (int)row, MPI_DOUBLE, root, s->down);
    MPI_Comm_size(s->down, &members);
    if (k >= me->top && k < me->top + me->height)
        s->sent += (long)(members - 1) * width_of(s, s->r);
}

static void run_product(summa *s)
{
    const process *me = &s->of[s->r];
    for (int k = 0; k < s->blocks; k++) {
        MPI_Barrier(MPI_COMM_WORLD); /* separates computation from communication */
        const double begin = MPI_Wtime();
        send_column(s, k);
        send_row(s, k);
        const double between = MPI_Wtime();
        update(s, s->c, s->pivot_a, s->pivot_b, me->height, width_of(s, s->r));
        s->communication_s += between - begin;
        s->computation_s += MPI_Wtime() - between;
    }
}

/* Largest difference between C x and A (B x), x all ones, relative to the largest element. */
static double error_of(const summa *s)
{
    const int n = s->blocks * s->side, side = s->side, width = width_of(s, s->r);
    const process *me = &s->of[s->r];
    double *cx = numbers(n), *bx = numbers(n), worst = 0, most = 0;
    const double *v = s->c;
    for (int i = 0; i < me->height; i++)
        for (int j = 0; j < width; j++)
            for (int x = 0; x < side * side; x++)
                cx[(me->top + i) * side + x / side] += *v++;
    MPI_Allreduce(MPI_IN_PLACE, cx, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            bx[k] += element(1, k, j);
    for (int i = s->r; i < n; i += s->p) {
        double abx = 0;
        for (int k = 0; k < n; k++)
            abx += element(0, i, k) * bx[k];
        worst = fmax(worst, fabs(abx - cx[i]));
        most = fmax(most, fabs(abx));
    }
    free(cx);
    free(bx);
    double both[] = {worst, most};
    MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return both[0] / both[1];
}

static void print_times(const summa *s, double total, double error)
{
    double most[] = {s->computation_s, s->communication_s}, predicted = 0, all[2];
    long sent = 0;
    MPI_Reduce(most, all, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&s->sent, &sent, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int r = 0; r < s->p; r++)
        if (s->of[r].speed > 0)
            predicted = fmax(predicted,
                             s->blocks * (double)s->of[r].height * width_of(s, r) / s->of[r].speed);
    if (s->r == 0)
        printf("computation %.3f s (predicted %.3f), communication %.3f s, total %.3f s, %ld "
               "blocks sent, error %.1e\n",
               all[0], predicted, all[1], total, sent, error);
}

static int multiply_matrices(summa *s, const char *path)
{
    const process *me = &s->of[s->r];
    const int bad = read_layout(s, path);
    if (bad)
        return bad;
    const long block = (long)s->side * s->side, own = me->height * block * width_of(s, s->r);
    s->a = numbers(own);
    s->b = numbers(own);
    s->c = numbers(own);
    s->pivot_a = numbers(me->height * block);
    s->pivot_b = numbers(width_of(s, s->r) * block);
    MPI_Comm_split(MPI_COMM_WORLD, me->column, me->top, &s->down);
    fill(s, s->a, 0);
    fill(s, s->b, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    run_product(s);
    const double total = MPI_Wtime() - begin, error = error_of(s);
    print_times(s, total, error);
    MPI_Comm_free(&s->down);
    double *const all[] = {s->a, s->b, s->c, s->pivot_a, s->pivot_b};
    for (int i = 0; i < 5; i++)
        free(all[i]);
    return error < 1e-9 ? 0 : 1;
}

/* ---- arguments ---- */

/* The delays of a list, repeated for all processes. */
static double delay_of(const char *list, int r)
{
    double v[MOST];
    int n = 0;
    char *end = (char *)list;
    while (n < MOST && list && *end) {
        v[n++] = strtod(end, &end);
        end += *end == ',';
    }
    return n ? v[r % n] : 0;
}

int main(int argc, char **argv)
{
    summa s = {.p = 0};
    int status = 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &s.p);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.r);
    if (s.p <= MOST && argc >= 4 && strcmp(argv[1], "speeds") == 0) {
        s.blocks = atoi(argv[2]);
        s.side = atoi(argv[3]);
        s.delay = delay_of(argc > 4 ? argv[4] : NULL, s.r);
        status = s.blocks > 0 && s.side > 0 ? measure_speeds(&s) : 2;
    } else if (s.p <= MOST && argc >= 3 && strcmp(argv[1], "run") == 0) {
        s.delay = delay_of(argc > 3 ? argv[3] : NULL, s.r);
        status = multiply_matrices(&s, argv[2]);
    }
    if (status == 2 && s.r == 0)
        fprintf(stderr, "usage: summa speeds BLOCKS SIDE [DELAYS] | run LAYOUT [DELAYS]\n");
    MPI_Finalize();
    return status;
}
