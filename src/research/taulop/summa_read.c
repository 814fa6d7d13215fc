/* summa_read.c - parser of SUMMA layouts:
 *
 *   blocks 256 32K                         blocks in a row, bytes of a block
 *   node0 0 6-9 cpu OMP_NUM_THREADS=4      node, local rank, cores, kind, threads or gpu (id=0)
 *   column 149 4:139 5:117                 width, then rank:rows from the top
 *   speed 0 1000:80 20000:120              rank, then number of blocks:blocks per second
 *   speed 1 95                             constant speed
 *
 * Ranks are the lines of processes, counted from 0.  Columns may be omitted if all processes have
 * speeds. */
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "research/taulop/layout.h"

static const atn_format format = {.comments = ATN_COMMENT_TAIL};

typedef struct {
    atn_summa s;
    atn_lines l;
} reader;

enum { MAX_WORDS = 64, MAX_BLOCKS = 1000000 };

#define bad(x, ...) atn_lines_fail(&(x)->l, __VA_ARGS__)

/* Digits only; false if the number is too large. */
static bool read_int(const char *text, int *n_p)
{
    char *end;
    const long n = strtol(text, &end, 10);
    if (end == text || *text == '-' || *text == '+' || *end || n > MAX_BLOCKS)
        return false;
    *n_p = (int)n;
    return true;
}

/* "12:34", "0-5" */
static bool read_two(char *text, char between, int *a, int *b)
{
    char *at = strchr(text, between);
    if (!at)
        return false;
    *at = '\0';
    const bool good = read_int(text, a) && read_int(at + 1, b);
    *at = between;
    return good;
}

/* ---- lines ---- */

static atn_status read_blocks(reader *x, char **words, int n)
{
    int64_t bytes = 1;
    if (x->s.blocks)
        return bad(x, "duplicate line 'blocks'; remove one");
    if (n < 2 || n > 3 || !read_int(words[1], &x->s.blocks) || x->s.blocks < 1 ||
        (n == 3 && (!atn_parse_size(words[2], &bytes) || bytes < 1)))
        return bad(x, "'blocks' needs a number and the bytes of a block, as in 'blocks 256 32K'");
    x->s.block_bytes = bytes;
    return ATN_OK;
}

static atn_status read_member(reader *x, char *word, int column, int *top)
{
    int rank, rows;
    if (!read_two(word, ':', &rank, &rows) || rows < 1)
        return bad(x, "invalid member '%.40s'; write rank:rows as in 4:139", word);
    if (rank >= x->s.processes.n)
        return bad(x, "unknown process %d; %d lines of processes precede", rank, x->s.processes.n);
    atn_summa_process *p = &x->s.processes.v[rank];
    if (p->column >= 0)
        return bad(x, "process %d already has a rectangle, in column %d", rank, p->column);
    p->column = column;
    p->top = *top;
    p->height = rows;
    *top += rows;
    return atn_push(&x->s.members, rank) ? ATN_OK : atn_lines_no_memory(&x->l);
}

static atn_status read_column(reader *x, char **words, int n)
{
    atn_summa_column c = {.first = x->s.members.n, .n = n - 2};
    int rows = 0;
    if (n < 3 || !read_int(words[1], &c.width) || c.width < 1)
        return bad(x,
                   "write a column as 'column WIDTH RANK:ROWS ...', as in column 149 4:139 5:117");
    for (int i = 2; i < n; i++) {
        const atn_status st = read_member(x, words[i], x->s.columns.n, &rows);
        if (st)
            return st;
    }
    if (x->s.blocks == 0)
        return bad(x, "the line 'blocks' must precede the columns");
    if (rows != x->s.blocks)
        return bad(x, "the column has %d rows, but the matrix %d; change its rows", rows,
                   x->s.blocks);
    return atn_push(&x->s.columns, c) ? ATN_OK : atn_lines_no_memory(&x->l);
}

static atn_status read_kind(reader *x, const char *kind, const char *detail, atn_summa_process *p)
{
    p->gpu = strcmp(kind, "gpu") == 0;
    if (!p->gpu && strcmp(kind, "cpu") != 0)
        return bad(x, "unknown kind of process '%.40s'; write cpu or gpu", kind);
    const char *key = p->gpu ? "id=" : "OMP_NUM_THREADS=";
    if (strncmp(detail, key, strlen(key)) != 0 || !read_int(detail + strlen(key), &p->number))
        return bad(x, "'%.40s': a %s needs %sN", detail, kind, key);
    return ATN_OK;
}

/* Finds the number of the node; rejects a local rank or cores that are in use. */
static atn_status find_node(reader *x, atn_summa_process *p)
{
    int nodes = 0, node = -1;
    for (int i = 0; i < x->s.processes.n; i++) {
        const atn_summa_process *other = &x->s.processes.v[i];
        nodes = atn_max(nodes, other->node + 1);
        if (strcmp(other->node_name, p->node_name) != 0)
            continue;
        node = other->node;
        if (other->local == p->local)
            return bad(x, "rank %d of %s is already process %d", p->local, p->node_name, i);
        if (other->first_core <= p->last_core && p->first_core <= other->last_core)
            return bad(x, "cores %d-%d of %s overlap with those of process %d", p->first_core,
                       p->last_core, p->node_name, i);
    }
    p->node = node >= 0 ? node : nodes;
    return ATN_OK;
}

static atn_status read_process(reader *x, char **words, int n)
{
    atn_summa_process p = {.column = -1};
    if (n != 5)
        return bad(x,
                   "write a process as 'NODE RANK CORES cpu|gpu DETAIL', as in node0 2 6-9 cpu "
                   "OMP_NUM_THREADS=4; this line has %d words",
                   n);
    if (strlen(words[0]) >= sizeof p.node_name)
        return bad(x, "the name of the node is too long");
    strcpy(p.node_name, words[0]);
    if (!read_int(words[1], &p.local))
        return bad(x, "invalid rank on a node '%.40s'; write a number", words[1]);
    if (!read_two(words[2], '-', &p.first_core, &p.last_core)) {
        if (!read_int(words[2], &p.first_core))
            return bad(x, "invalid cores '%.40s'; write 6 or 6-9", words[2]);
        p.last_core = p.first_core;
    }
    if (p.last_core < p.first_core)
        return bad(x, "cores %s descend; write the lower one first", words[2]);
    atn_status st = read_kind(x, words[3], words[4], &p);
    st = st ? st : find_node(x, &p);
    if (!st && !atn_push(&x->s.processes, p))
        st = atn_lines_no_memory(&x->l);
    return st;
}

/* "95", "1000:80" */
static bool read_point(char *word, bool only, atn_speed *v)
{
    char *end;
    double *blocks = &v->blocks[v->n], *speed = &v->speed[v->n];
    *blocks = strtod(word, &end);
    if (end > word && *end == '\0' && only) {
        *speed = *blocks;
        *blocks = 1;
    } else if (end > word && *end == ':') {
        *speed = strtod(word = end + 1, &end);
    } else {
        return false;
    }
    return end > word && *end == '\0' && *blocks > 0 && *blocks <= 1e15 && *speed > 0 &&
           *speed <= 1e15 && (v->n == 0 || *blocks > v->blocks[v->n - 1]);
}

static atn_status read_speed(reader *x, char **words, int n)
{
    int rank;
    if (n < 3 || n > 2 + ATN_SPEED_POINTS || !read_int(words[1], &rank))
        return bad(
            x,
            "write a speed as 'speed RANK BLOCKS:SPEED ...', as in speed 0 1000:80 20000:120, "
            "with at most %d points",
            ATN_SPEED_POINTS);
    if (rank >= x->s.processes.n)
        return bad(x, "unknown process %d; %d lines of processes precede", rank, x->s.processes.n);
    atn_speed *v = &x->s.processes.v[rank].speed;
    if (v->n > 0)
        return bad(x, "process %d already has a speed; remove one", rank);
    for (int i = 2; i < n; i++, v->n++)
        if (!read_point(words[i], n == 3, v))
            return bad(x,
                       "invalid speed '%.40s'; write BLOCKS:SPEED, both positive, ascending by "
                       "blocks",
                       words[i]);
    if (!atn_tau_speed_sound(v))
        return bad(x, "process %d would complete more blocks in less time; measure its speed again",
                   rank);
    return ATN_OK;
}

static atn_status read_line(reader *x)
{
    char *words[MAX_WORDS], *word;
    int n = 0;
    while (n < MAX_WORDS && (word = atn_lines_word(&x->l)))
        words[n++] = word;
    if (n == MAX_WORDS)
        return bad(x, "the line has too many words");
    return strcmp(words[0], "blocks") == 0   ? read_blocks(x, words, n)
           : strcmp(words[0], "column") == 0 ? read_column(x, words, n)
           : strcmp(words[0], "speed") == 0  ? read_speed(x, words, n)
                                             : read_process(x, words, n);
}

/* ---- the whole layout ---- */

static atn_status check(reader *x)
{
    int width = 0, speeds = 0;
    for (int r = 0; r < x->s.processes.n; r++)
        speeds += x->s.processes.v[r].speed.n > 0;
    if (x->s.columns.n == 0 && x->s.blocks > 0 && speeds > 0 && speeds == x->s.processes.n) {
        atn_error why = {0};
        const atn_status st = atn_tau_summa_divide(&x->s, &why);
        return st == ATN_INPUT ? bad(x, "%s", why.text)
               : st            ? atn_fail(x->l.err, st, "%s", why.text)
                               : ATN_OK;
    }
    for (int j = 0; j < x->s.columns.n; j++)
        width += x->s.columns.v[j].width;
    if (x->s.columns.n == 0)
        return bad(x, "no column, and not every process has a speed; the file may be truncated");
    if (width != x->s.blocks)
        return bad(x,
                   "the columns have a total width of %d, but the matrix %d; change their widths",
                   width, x->s.blocks);
    for (int r = 0; r < x->s.processes.n; r++)
        if (x->s.processes.v[r].column < 0)
            return bad(x, "process %d is in no column", r);
    return ATN_OK;
}

atn_status atn_tau_summa_parse(const char *text, const char *file, atn_summa *summa_p,
                               atn_error *err)
{
    reader x = {.s = {0}};
    atn_status st = atn_lines_open(&x.l, &format, file, text, strlen(text), err);
    while (!st && atn_lines_next(&x.l, &st))
        st = read_line(&x);
    if (!st)
        st = check(&x);
    atn_lines_close(&x.l);
    if (st)
        atn_tau_summa_free(&x.s);
    else
        *summa_p = x.s;
    return st;
}
