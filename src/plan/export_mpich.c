/* export_mpich.c - selection of algorithms in MPICH 4.0, as JSON.
 *
 * The file is a tree of conditions, tried from left to right, with algorithms as leaves; a call
 * that no leaf serves ends the program, so the tree must be complete.  The library carries the tree
 * that it uses without a file as a string: that is taken, and our conditions are put in front of
 * the decision for each collective,
 *
 *   "comm_type=intra":{OWN}   becomes
 *   "comm_type=intra":{"comm_size<2":{OWN},"comm_size<=8":{SIZES},"comm_size=any":{OWN}}
 *
 * where SIZES are ranges like "avg_msg_size<4096":{LEAF}; what the rules leave to the library is
 * {OWN} again. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "plan/export_private.h"

static const char whose[] = "\"algorithm=MPIR_Bcast_intra_";

typedef struct {
    const char *at;
    size_t n;
} piece;

/* ---- the library's own tree ---- */

/* The string in the library that holds the tree: from its first brace to its end. */
static bool find_tree(const char *bytes, size_t size, piece *tree_p)
{
    static const char head[] = "{\"collective=";
    const char *end = bytes + size;
    for (const char *at = bytes; (at = memmem(at, (size_t)(end - at), head, strlen(head))) != NULL;
         at++) {
        const size_t n = strnlen(at, (size_t)(end - at));
        if (at + n < end && memmem(at, n, whose, strlen(whose)) != NULL) {
            *tree_p = (piece){at, n};
            return true;
        }
    }
    return false;
}

/* What is between the braces behind `key` in the text; false: there is no such key. */
static bool find_object(piece text, const char *key, piece *inner_p)
{
    const char *found = memmem(text.at, text.n, key, strlen(key));
    const char *end = text.at + text.n;
    if (found == NULL)
        return false;
    const char *from = found + strlen(key);
    int depth = 1;
    for (const char *at = from; at < end; at++) {
        depth += (*at == '{') - (*at == '}');
        if (depth == 0) {
            *inner_p = (piece){from, (size_t)(at - from)};
            return true;
        }
    }
    return false;
}

/* The decision of the library for an operation. */
static bool find_own(piece tree, atn_operation op, piece *own_p)
{
    char key[64];
    piece all;
    snprintf(key, sizeof key, "\"collective=%s\":{", atn_sched_operation_get(op)->name);
    return find_object(tree, key, &all) &&
           (find_object(all, "\"comm_type=intra\":{", own_p) || (*own_p = all, true));
}

/* ---- ours ---- */

static void put_own(FILE *f, piece own) { fprintf(f, "{%.*s}", (int)own.n, own.at); }

/* Conditions without which the algorithm must not be called, around the leaf. */
static const struct {
    const char *before, *after; /* behind `after` comes the library's own decision, then `end` */
    const char *end;
} guards[] = {
    [ATN_GUARD_ANY] = {"", NULL, ""},
    [ATN_GUARD_POW2] = {"", NULL, ""},
    [ATN_GUARD_NOT_IN_PLACE] = {"{\"is_sendbuf_inplace=no\":", ",\"is_sendbuf_inplace=yes\":", "}"},
    [ATN_GUARD_COMMUTATIVE] = {"{\"is_commutative=yes\":", ",\"is_commutative=no\":", "}"},
    [ATN_GUARD_COUNT] = {"{\"is_op_built_in=yes\":{\"count<pow2\":", NULL, ""},
};

static void put_leaf(FILE *f, const atn_foreign *row)
{
    const char *name = atn_sched_operation_get(row->op)->name;
    fprintf(f, "{\"algorithm=MPIR_%c%s_intra_%s\":{}}", toupper((unsigned char)*name), name + 1,
            row->mpich);
}

static void put_answer(FILE *f, const atn_foreign *row, piece own)
{
    if (row == NULL) {
        put_own(f, own);
        return;
    }
    fputs(guards[row->guard].before, f);
    if (row->guard == ATN_GUARD_COUNT) {
        put_own(f, own);
        fputs(",\"count=any\":", f);
        put_leaf(f, row);
        fputs("},\"is_op_built_in=no\":", f);
        put_own(f, own);
        fputc('}', f);
        return;
    }
    put_leaf(f, row);
    if (guards[row->guard].after != NULL) {
        fputs(guards[row->guard].after, f);
        put_own(f, own);
    }
    fputs(guards[row->guard].end, f);
}

/* How the library calls the size of a message; NULL: it does not look at it. */
static const char *size_word(atn_operation op)
{
    const uint32_t whole = 1u << ATN_BCAST | 1u << ATN_ALLREDUCE | 1u << ATN_REDUCE;
    const uint32_t bit = 1u << op;
    if (op == ATN_ALLTOALL || (whole & bit) != 0)
        return "avg_msg_size";
    return atn_plan_library_bytes(op, 2, 1) == 2 ? "total_msg_size" : NULL;
}

/* The size of a block is the average of an alltoall, and its total elsewhere. */
static int64_t size_of(atn_operation op, int p, int64_t bytes)
{
    return op == ATN_ALLTOALL ? bytes : atn_plan_library_bytes(op, p, bytes);
}

static void put_sizes(FILE *f, atn_operation op, int p, const atn_ranges_of_sizes *list, piece own)
{
    const char *word = size_word(op);
    if (list->n == 1 || word == NULL) {
        put_answer(f, list->n == 1 ? list->v[0].row : NULL, own);
        return;
    }
    fputc('{', f);
    for (int i = 0; i + 1 < list->n; i++) {
        fprintf(f, "\"%s<%lld\":", word, (long long)size_of(op, p, list->v[i + 1].from));
        put_answer(f, list->v[i].row, own);
        fputc(',', f);
    }
    fprintf(f, "\"%s=any\":", word);
    put_answer(f, list->v[list->n - 1].row, own);
    fputc('}', f);
}

/* The new decision for an operation; *said_p: whether it differs.  False: no memory. */
static bool put_operation(atn_exporter *x, atn_operation op, piece own, FILE *f, bool *said_p)
{
    atn_ranges_of_sizes now = {0}, next = {0};
    bool done = true;
    fputs("\"comm_size<2\":", f);
    put_own(f, own);
    for (int p = 2; done && p <= x->e->ranks; p++) {
        done =
            atn_plan_export_ranges(x, op, p, &now) && atn_plan_export_ranges(x, op, p + 1, &next);
        const bool grows = now.n > 1 && size_of(op, 2, 1) != 1;
        if (!done || (!grows && p < x->e->ranks && atn_plan_same_ranges(&now, &next)))
            continue;
        fprintf(f, ",\"comm_size<=%d\":", p);
        put_sizes(f, op, p, &now, own);
        *said_p |= atn_plan_says_something(&now);
    }
    fputs(",\"comm_size=any\":", f);
    put_own(f, own);
    atn_vec_free(&now);
    atn_vec_free(&next);
    return done;
}

/* ---- the whole ---- */

/* The tree up to the decision for an operation, with ours instead; the rest is left in *tree. */
static bool replace(atn_exporter *x, atn_operation op, piece *tree)
{
    piece own;
    char *text = NULL;
    size_t size;
    bool any = false;
    if (!find_own(*tree, op, &own))
        return true;
    FILE *f = atn_open_text(&text, &size);
    bool done = f != NULL && put_operation(x, op, own, f, &any);
    done = f != NULL && fclose(f) == 0 && done;
    if (done && any) {
        fwrite(tree->at, 1, (size_t)(own.at - tree->at), x->e->f);
        fputs(text, x->e->f);
        *tree = (piece){own.at + own.n, (size_t)(tree->at + tree->n - own.at) - own.n};
    }
    free(text);
    return done;
}

/* Operations by where their decisions are in the tree; the rest of them has none. */
static int in_order(piece tree, atn_operation order[ATN_OPERATIONS])
{
    const char *place[ATN_OPERATIONS];
    int n = 0;
    for (int op = 0; op < ATN_OPERATIONS; op++) {
        piece own;
        if (!find_own(tree, (atn_operation)op, &own))
            continue;
        int j = n++;
        for (; j > 0 && place[j - 1] > own.at; j--) {
            place[j] = place[j - 1];
            order[j] = order[j - 1];
        }
        place[j] = own.at;
        order[j] = (atn_operation)op;
    }
    return n;
}

atn_status atn_plan_export_mpich(const atn_export *e, const atn_rules *rules, const char *library,
                                 atn_error *err)
{
    atn_exporter x = {.e = e, .rules = rules, .library = ATN_FOR_MPICH};
    atn_operation order[ATN_OPERATIONS];
    char *bytes;
    size_t size;
    piece tree;
    atn_status status = atn_read_file(library, &bytes, &size, err);
    if (status != ATN_OK)
        return status;
    if (!find_tree(bytes, size, &tree)) {
        free(bytes);
        return atn_fail(err, ATN_INPUT,
                        "%s: holds no selection of algorithms; name the libmpich.so of MPICH 4.0 "
                        "or later",
                        library);
    }
    bool done = true;
    const int n = in_order(tree, order);
    for (int i = 0; i < n && done; i++)
        done = replace(&x, order[i], &tree);
    fprintf(e->f, "%.*s\n", (int)tree.n, tree.at);
    free(bytes);
    atn_vec_free(&x.missing);
    return done ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}
