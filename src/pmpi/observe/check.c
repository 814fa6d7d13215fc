/* check.c - see check.h.
 *
 * One reduction compares the signatures of a call; only if they differ, all signatures are
 * gathered, to name a rank that differs from the majority. */
#include "pmpi/observe/check.h"

#include <stdlib.h>

/* What must be equal on all ranks, each as one number; 0 where an operation has none. */
enum { OPERATION, ROOT, BYTES, TYPE, OPERATOR, IN_PLACE_USED, FIELDS };

static const struct {
    const char *name;
    int error;
} fields[FIELDS] = {
    [OPERATION] = {"operation", MPI_ERR_OTHER}, [ROOT] = {"root", MPI_ERR_ROOT},
    [BYTES] = {"size", MPI_ERR_COUNT},          [TYPE] = {"datatype", MPI_ERR_TYPE},
    [OPERATOR] = {"operator", MPI_ERR_OP},      [IN_PLACE_USED] = {"MPI_IN_PLACE", MPI_ERR_BUFFER},
};

static const struct {
    MPI_Op op;
    const char *name;
} operators[] = {
    {MPI_MAX, "MPI_MAX"},   {MPI_MIN, "MPI_MIN"},       {MPI_SUM, "MPI_SUM"},
    {MPI_PROD, "MPI_PROD"}, {MPI_LAND, "MPI_LAND"},     {MPI_BAND, "MPI_BAND"},
    {MPI_LOR, "MPI_LOR"},   {MPI_BOR, "MPI_BOR"},       {MPI_LXOR, "MPI_LXOR"},
    {MPI_BXOR, "MPI_BXOR"}, {MPI_MINLOC, "MPI_MINLOC"}, {MPI_MAXLOC, "MPI_MAXLOC"},
};
enum { OPERATORS = sizeof operators / sizeof *operators };

/* ---- the signature of a call ---- */

/* A number that is comparable between ranks: the index of a predefined operator; of user operators
 * only commutativity is comparable. */
static int64_t operator_number(MPI_Op op)
{
    for (int i = 0; i < OPERATORS; i++)
        if (operators[i].op == op)
            return 1 + i;
    return OPERATORS + 1 + atn_exec_op_commutes(op);
}

/* Predefined types have fixed Fortran handles.  Equal derived types may have been constructed
 * differently; compare their size. */
static int64_t type_number(MPI_Datatype type)
{
    int integers, addresses, types, combiner, bytes = 0;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED)
        return 1 + (int64_t)(uint32_t)PMPI_Type_c2f(type);
    PMPI_Type_size(type, &bytes);
    return -1 - (int64_t)bytes;
}

/* In other operations it may be used by the root or by some ranks only. */
static bool shares_in_place(atn_operation op)
{
    static const uint32_t those = 1u << ATN_ALLGATHER | 1u << ATN_ALLGATHERV | 1u << ATN_ALLTOALL |
                                  1u << ATN_ALLTOALLV | 1u << ATN_ALLTOALLW | 1u << ATN_ALLREDUCE |
                                  1u << ATN_REDUCE_SCATTER_BLOCK;
    return (those & 1u << op) != 0;
}

static void sign(atn_comm *c, const atn_call *call, int64_t sig[FIELDS])
{
    const unsigned flags = atn_sched_operation_get(call->op)->flags;
    atn_problem q;
    const bool valid = atn_exec_call_problem(c->exec, call, &q);
    sig[OPERATION] = call->op;
    sig[ROOT] = flags & ATN_ROOTED ? call->root : 0;
    sig[BYTES] = valid ? q.bytes : INT64_MIN;
    sig[TYPE] = valid && flags & ATN_TYPED ? type_number(call->src.type) : 0;
    sig[OPERATOR] = valid && flags & ATN_TYPED ? operator_number(call->mpi_op) : 0;
    sig[IN_PLACE_USED] = shares_in_place(call->op) && call->in_place;
}

/* ---- ranks that differ ---- */

static void print_type(MPI_Fint number, char *out, size_t size)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length;
    PMPI_Type_get_name(PMPI_Type_f2c(number), name, &length);
    snprintf(out, size, "%.50s", name);
}

static void print_value(int field, int64_t v, char *out, size_t size)
{
    if (field == OPERATION)
        snprintf(out, size, "%s", atn_sched_operation_get((atn_operation)v)->name);
    else if (field == BYTES && v == INT64_MIN)
        snprintf(out, size, "invalid arguments");
    else if (field == BYTES)
        snprintf(out, size, "%lld bytes", (long long)v);
    else if (field == OPERATOR)
        snprintf(out, size, "%s",
                 v >= 1 && v <= OPERATORS ? operators[v - 1].name : "an operator of its own");
    else if (field == TYPE && v > 0)
        print_type((MPI_Fint)(uint32_t)(v - 1), out, size);
    else if (field == TYPE)
        snprintf(out, size, "a derived type of %lld bytes", (long long)(-1 - v));
    else if (field == IN_PLACE_USED)
        snprintf(out, size, "%s", v ? "used" : "not used");
    else
        snprintf(out, size, "%lld", (long long)v);
}

/* The value of most ranks; the first in a tie. */
static int64_t majority(const int64_t *all, int p, int field)
{
    int64_t best = all[field];
    int most = 0;
    for (int i = 0; i < p; i++) {
        int count = 0;
        for (int j = 0; j < p; j++)
            count += all[j * FIELDS + field] == all[i * FIELDS + field];
        if (count > most) {
            most = count;
            best = all[i * FIELDS + field];
        }
    }
    return best;
}

static void report_difference(const atn_comm *c, const int64_t *all, int field)
{
    const int64_t common = majority(all, c->p, field);
    char theirs[64], others[64];
    int r = 0;
    while (all[r * FIELDS + field] == common)
        r++;
    print_value(field, all[r * FIELDS + field], theirs, sizeof theirs);
    print_value(field, common, others, sizeof others);
    atn_interpose_print_line(
        "ATTUNE_CHECK: call %llu on a communicator of %d ranks: %s of rank %d is %s, of most "
        "others %s",
        (unsigned long long)c->calls, c->p, fields[field].name, r, theirs, others);
}

static int find_difference(const atn_comm *c, const int64_t *sig, int field)
{
    int64_t *const all = malloc((size_t)c->p * FIELDS * sizeof *all);
    if (all == NULL)
        return MPI_ERR_NO_MEM;
    atn_pmpi_real.Allgather(sig, FIELDS, MPI_INT64_T, all, FIELDS, MPI_INT64_T, c->user);
    if (c->r == 0)
        report_difference(c, all, field);
    free(all);
    return fields[field].error;
}

bool atn_observe_check(atn_comm *c, const atn_call *call, int *code_p)
{
    int64_t sig[FIELDS], least[2 * FIELDS];
    sign(c, call, sig);
    for (int i = 0; i < FIELDS; i++) {
        least[i] = sig[i];
        least[FIELDS + i] = ~sig[i];
    }
    *code_p =
        atn_pmpi_real.Allreduce(MPI_IN_PLACE, least, 2 * FIELDS, MPI_INT64_T, MPI_MIN, c->user);
    for (int i = 0; i < FIELDS && *code_p == MPI_SUCCESS; i++)
        if (least[i] != ~least[FIELDS + i])
            *code_p = find_difference(c, sig, i);
    return *code_p == MPI_SUCCESS;
}
