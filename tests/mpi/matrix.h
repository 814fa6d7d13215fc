/* matrix.h - one case of the matrix of collective calls, and its execution. */
#ifndef TEST_MATRIX_H
#define TEST_MATRIX_H

#include "buffers.h"

/* Everything here is the same on all ranks of the communicator, except r. */
typedef struct {
    int index;
    uint64_t seed; /* of the contents */
    const char *comm_name;
    MPI_Comm comm;
    int p, r;
    int root;
    bool in_place; /* requested; the operation determines on which ranks it is legal */
    bool oracle;   /* compare with the native routine, too */
    bool native;   /* native: skip cases with library bugs */
    int bytes;     /* approximate size per rank of the largest buffer */
    t_rng rng;     /* random numbers for choices of this operation only */
} t_case;

/* The arguments of any collective call. */
typedef struct {
    const void *sbuf;
    void *rbuf;
    int scount, rcount;
    MPI_Datatype stype, rtype;
    const int *scounts, *sdispls, *rcounts, *rdispls;
    const MPI_Datatype *stypes, *rtypes;
    MPI_Op op;
    int root;
    MPI_Comm comm;
} t_args;

typedef int t_issue(const t_routines *f, const t_args *a);

/* Where MPI_IN_PLACE is allowed. */
typedef enum { T_NEVER, T_AT_ROOT, T_ALL_OR_NONE, T_PER_RANK } t_in_place;

/* Operations that move data. */
typedef struct {
    const char *name;
    enum { T_NONE, T_ONE, T_ALL } send, recv; /* blocks: none, one, one per rank */
    bool rooted, send_at_root, recv_at_root;
    bool from_all, to_all; /* whether a message depends on its sender, receiver */
    bool varying, each_type;
    t_in_place in_place;
    t_issue *issue;
} t_move;

int t_moves(void);
const t_move *t_move_get(int i);
void t_move_run(const t_move *mv, t_case *c);

/* Operations that reduce. */
typedef struct {
    const char *name;
    bool rooted;
    enum { T_WHOLE, T_BLOCKS, T_VECTOR } input; /* count; p equal blocks; p blocks of any size */
    enum { T_UP_TO_ALL, T_UP_TO_ME, T_BELOW_ME } range;
    t_in_place in_place;
    t_issue *issue;
} t_reduction;

int t_reductions(void);
const t_reduction *t_reduction_get(int i);
/* `operand`: index into operands.h's combinations. */
void t_reduction_run(const t_reduction *rd, t_case *c, int operand);

#endif
