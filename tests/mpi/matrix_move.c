/* matrix_move.c - bcast, gather, scatter, allgather, alltoall and their v and w variants.
 *
 * The content of a message is a function of (case, sender, receiver), so each rank can compute the
 * expected result without communication. */
#include "matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the operations ---- */

static int issue_bcast(const t_routines *f, const t_args *a)
{
    return f->Bcast(a->rbuf, a->rcount, a->rtype, a->root, a->comm);
}

static int issue_gather(const t_routines *f, const t_args *a)
{
    return f->Gather(a->sbuf, a->scount, a->stype, a->rbuf, a->rcount, a->rtype, a->root, a->comm);
}

static int issue_gatherv(const t_routines *f, const t_args *a)
{
    return f->Gatherv(a->sbuf, a->scount, a->stype, a->rbuf, a->rcounts, a->rdispls, a->rtype,
                      a->root, a->comm);
}

static int issue_scatter(const t_routines *f, const t_args *a)
{
    return f->Scatter(a->sbuf, a->scount, a->stype, a->rbuf, a->rcount, a->rtype, a->root, a->comm);
}

static int issue_scatterv(const t_routines *f, const t_args *a)
{
    return f->Scatterv(a->sbuf, a->scounts, a->sdispls, a->stype, a->rbuf, a->rcount, a->rtype,
                       a->root, a->comm);
}

static int issue_allgather(const t_routines *f, const t_args *a)
{
    return f->Allgather(a->sbuf, a->scount, a->stype, a->rbuf, a->rcount, a->rtype, a->comm);
}

static int issue_allgatherv(const t_routines *f, const t_args *a)
{
    return f->Allgatherv(a->sbuf, a->scount, a->stype, a->rbuf, a->rcounts, a->rdispls, a->rtype,
                         a->comm);
}

static int issue_alltoall(const t_routines *f, const t_args *a)
{
    return f->Alltoall(a->sbuf, a->scount, a->stype, a->rbuf, a->rcount, a->rtype, a->comm);
}

static int issue_alltoallv(const t_routines *f, const t_args *a)
{
    return f->Alltoallv(a->sbuf, a->scounts, a->sdispls, a->stype, a->rbuf, a->rcounts, a->rdispls,
                        a->rtype, a->comm);
}

static int issue_alltoallw(const t_routines *f, const t_args *a)
{
    return f->Alltoallw(a->sbuf, a->scounts, a->sdispls, a->stypes, a->rbuf, a->rcounts, a->rdispls,
                        a->rtypes, a->comm);
}

static const t_move moves[] = {
    {.name = "bcast", .recv = T_ONE, .rooted = true, .issue = issue_bcast},
    {.name = "gather",
     .send = T_ONE,
     .recv = T_ALL,
     .rooted = true,
     .recv_at_root = true,
     .from_all = true,
     .in_place = T_AT_ROOT,
     .issue = issue_gather},
    {.name = "gatherv",
     .send = T_ONE,
     .recv = T_ALL,
     .rooted = true,
     .recv_at_root = true,
     .from_all = true,
     .varying = true,
     .in_place = T_AT_ROOT,
     .issue = issue_gatherv},
    {.name = "scatter",
     .send = T_ALL,
     .recv = T_ONE,
     .rooted = true,
     .send_at_root = true,
     .to_all = true,
     .in_place = T_AT_ROOT,
     .issue = issue_scatter},
    {.name = "scatterv",
     .send = T_ALL,
     .recv = T_ONE,
     .rooted = true,
     .send_at_root = true,
     .to_all = true,
     .varying = true,
     .in_place = T_AT_ROOT,
     .issue = issue_scatterv},
    {.name = "allgather",
     .send = T_ONE,
     .recv = T_ALL,
     .from_all = true,
     .in_place = T_ALL_OR_NONE,
     .issue = issue_allgather},
    {.name = "allgatherv",
     .send = T_ONE,
     .recv = T_ALL,
     .from_all = true,
     .varying = true,
     .in_place = T_ALL_OR_NONE,
     .issue = issue_allgatherv},
    {.name = "alltoall",
     .send = T_ALL,
     .recv = T_ALL,
     .from_all = true,
     .to_all = true,
     .in_place = T_ALL_OR_NONE,
     .issue = issue_alltoall},
    {.name = "alltoallv",
     .send = T_ALL,
     .recv = T_ALL,
     .from_all = true,
     .to_all = true,
     .varying = true,
     .in_place = T_ALL_OR_NONE,
     .issue = issue_alltoallv},
    {.name = "alltoallw",
     .send = T_ALL,
     .recv = T_ALL,
     .from_all = true,
     .to_all = true,
     .varying = true,
     .each_type = true,
     .in_place = T_ALL_OR_NONE,
     .issue = issue_alltoallw},
};

int t_moves(void) { return (int)(sizeof moves / sizeof *moves); }
const t_move *t_move_get(int i) { return &moves[i]; }

/* ---- the case, equal on all ranks ---- */

typedef enum { EQUAL, RANDOM, SPARSE, ONE_LARGE, NOTHING, SIZES } sizes;

typedef struct {
    const t_move *mv;
    t_case *c;
    int family, units; /* units: of a regular block */
    bool plain, mixed, in_place;
    bool bottom; /* single blocks are passed as MPI_BOTTOM and absolute addresses */
    sizes how;
} plan;

static plan make_plan(const t_move *mv, t_case *c)
{
    plan pl = {.mv = mv, .c = c};
    pl.family = (c->index * 7 + (int)(c->seed % 101)) % t_families();
    if (t_below(&c->rng, 2))
        pl.family = t_below(&c->rng, 4); /* the common ones more often */
    pl.plain = t_below(&c->rng, 3) == 0;
    pl.mixed = t_below(&c->rng, 2);
    pl.bottom = t_below(&c->rng, 5) == 0;
    pl.how = mv->varying ? (sizes)t_below(&c->rng, SIZES) : EQUAL;
    pl.in_place = c->in_place && mv->in_place != T_NEVER;
    const int blocks = mv->send == T_ALL || mv->recv == T_ALL ? c->p : 1;
    const int unit = t_unit_bytes(pl.family, pl.plain);
    pl.units = c->bytes / (blocks * unit);
    if (c->bytes > 0 && pl.units == 0)
        pl.units = t_below(&c->rng, 3);
    return pl;
}

/* The units of the message from -> to, equal on all ranks. */
static int units_of(const plan *pl, int from, int to)
{
    const bool symmetric = pl->in_place && pl->mv->to_all && pl->mv->from_all;
    const int a = symmetric && from > to ? to : from, b = symmetric && from > to ? from : to;
    const int source = pl->mv->from_all ? a : 0, target = pl->mv->to_all ? b : 0;
    t_rng rng = t_seed(pl->c->seed, 1000 + (uint64_t)source, 1000 + (uint64_t)target);
    switch (pl->how) {
    case RANDOM:
        return t_below(&rng, 2 * pl->units + 1);
    case SPARSE:
        return t_below(&rng, 3) ? 0 : pl->units;
    case ONE_LARGE:
        return (source + target) % pl->c->p == pl->c->index % pl->c->p ? pl->units : 0;
    case NOTHING:
        return 0;
    default:
        return pl->units;
    }
}

static int common_layout(const plan *pl)
{
    return (int)(pl->c->seed % (uint64_t)t_layouts(pl->family));
}

static bool interleaves(const plan *pl)
{
    return !pl->plain &&
           (pl->mixed || !strcmp(t_layout_name(pl->family, common_layout(pl)), "column"));
}

static bool alone(const plan *pl) { return pl->c->p == 1; }
static bool gathers_interleaved(const plan *pl) { return pl->c->p >= 4 && interleaves(pl); }
static bool send_types_differ(const plan *pl) { return pl->bottom || (!pl->plain && pl->mixed); }

/* An exchange in place sends packed copies, of type MPI_PACKED. */
static bool exchange_packs(const plan *pl)
{
    const bool gaps = !pl->plain || t_is_record(pl->family);
    return pl->in_place && pl->mv->to_all && pl->mv->from_all && gaps;
}

/* Messages that do not fit into a cell of 8 KB, header included. */
static bool large_types_differ(const plan *pl)
{
    return (send_types_differ(pl) || exchange_packs(pl)) && pl->c->bytes >= 7168;
}

static bool wide_elements(const plan *pl)
{
    return !pl->plain && !strcmp(t_family_name(pl->family), "MPI_C_LONG_DOUBLE_COMPLEX");
}

/* Calls for which the native routine has a bug, so it is no reference for them; operation NULL:
 * all. */
static const struct {
    const char *library, *operation;
    bool (*when)(const plan *pl);
    const char *why;
} library_bugs[] = {
    {"Open MPI", "gather", gathers_interleaved,
     "holds several blocks by repeating the sender's type, whose elements then overlap"},
    {"Open MPI", "allgatherv", send_types_differ,
     "computes the total from the sender's type, so ranks choose different algorithms"},
    {"Open MPI", "alltoallw", alone, "multiplies the byte displacement by the extent"},
    {"Open MPI", NULL, wide_elements, "has room for 16 bytes where an element is cut in two"},
    {"MPICH", "allgatherv", alone, "ignores the displacement"},
    {"MPICH", NULL, large_types_differ, "truncates large messages between different types"},
};

static bool library_fails(const plan *pl)
{
    const char *library = T_OPEN_MPI ? "Open MPI" : "MPICH";
    for (size_t i = 0; i < sizeof library_bugs / sizeof *library_bugs; i++) {
        const char *operation = library_bugs[i].operation;
        if (!strcmp(library_bugs[i].library, library) &&
            (!operation || !strcmp(operation, pl->mv->name)) && library_bugs[i].when(pl))
            return true;
    }
    return false;
}

/* ---- buffers of this rank ---- */

static bool exists(const plan *pl, int kind, bool only_at_root)
{
    return kind != T_NONE && (!only_at_root || pl->c->r == pl->c->root);
}

static int block_from(const plan *pl, bool sending, int block)
{
    const bool many = (sending ? pl->mv->send : pl->mv->recv) == T_ALL;
    if (!pl->mv->from_all)
        return 0;
    return sending ? pl->c->r : many ? block : pl->c->r;
}

static int block_to(const plan *pl, bool sending, int block)
{
    const bool many = (sending ? pl->mv->send : pl->mv->recv) == T_ALL;
    if (!pl->mv->to_all)
        return 0;
    return sending && many ? block : pl->c->r;
}

static int layout_for(const plan *pl, t_rng *rng)
{
    const int mine = t_below(rng, t_layouts(pl->family));
    return pl->mixed ? mine : common_layout(pl);
}

static t_side *make_side(const plan *pl, bool sending)
{
    const int kind = sending ? pl->mv->send : pl->mv->recv;
    if (!exists(pl, kind, sending ? pl->mv->send_at_root : pl->mv->recv_at_root))
        return NULL;
    const int blocks = kind == T_ALL ? pl->c->p : 1;
    int *units = t_alloc(sizeof(int) * (size_t)blocks);
    int *layout = t_alloc(sizeof(int) * (size_t)blocks);
    t_rng rng = t_seed(pl->c->seed, 500 + (uint64_t)pl->c->r, sending);
    for (int b = 0; b < blocks; b++) {
        units[b] = units_of(pl, block_from(pl, sending, b), block_to(pl, sending, b));
        layout[b] = layout_for(pl, &rng);
    }
    const t_order order = (t_order)t_below(&rng, T_ORDERS);
    t_side *side =
        t_side_new(&(t_shape){.family = pl->family,
                              .plain = pl->plain,
                              .layout = layout,
                              .blocks = blocks,
                              .each_type = pl->mv->each_type,
                              .units = units,
                              .seed = pl->c->seed + (uint64_t)pl->c->r,
                              .order = pl->mv->varying && kind == T_ALL ? order : T_REGULAR});
    free(units);
    free(layout);
    return side;
}

static void put_block(const plan *pl, t_side *side, int block, bool sending)
{
    t_side_put(side, block, pl->c->seed, block_from(pl, sending, block),
               block_to(pl, sending, block));
}

static void put_all(const plan *pl, t_side *side, bool sending)
{
    for (int b = 0; b < side->blocks; b++)
        put_block(pl, side, b, sending);
}

/* The receive buffer before the call. */
static void put_input(const plan *pl, t_side *recv, bool in_place)
{
    const int r = pl->c->r;
    t_side_clear(recv);
    if (pl->mv->send == T_NONE && r == pl->c->root)
        put_all(pl, recv, false); /* root of bcast */
    else if (in_place && pl->mv->send == T_ONE)
        put_block(pl, recv, r, false);
    else if (in_place && pl->mv->recv == T_ALL)
        for (int b = 0; b < recv->blocks;
             b++) /* alltoall: the send data is in the receive buffer */
            t_side_put(recv, b, pl->c->seed, r, b);
}

/* ---- the call ---- */

/* One block may be passed as MPI_BOTTOM and a type with its absolute address. */
static MPI_Datatype absolute(const t_side *side)
{
    MPI_Datatype type;
    MPI_Aint address;
    MPI_Get_address(side->base, &address);
    MPI_Type_create_hindexed(1, &side->count[0], &address, side->type[0], &type);
    MPI_Type_commit(&type);
    return type;
}

static void arguments(const plan *pl, const t_side *send, const t_side *recv, bool in_place,
                      t_args *a)
{
    const bool own_recv = in_place && pl->mv->send == T_ALL && pl->mv->recv == T_ONE; /* scatter */
    *a = (t_args){.scount = -3,
                  .rcount = -3,
                  .stype = MPI_DATATYPE_NULL,
                  .rtype = MPI_DATATYPE_NULL,
                  .root = pl->c->root,
                  .comm = pl->c->comm};
    if (send) {
        a->sbuf = send->base;
        a->scount = send->count[0], a->stype = send->type[0];
        a->scounts = send->count, a->sdispls = send->displ, a->stypes = send->type;
    }
    if (recv) {
        a->rbuf = recv->base;
        a->rcount = recv->count[0], a->rtype = recv->type[0];
        a->rcounts = recv->count, a->rdispls = recv->displ, a->rtypes = recv->type;
    }
    if (in_place && own_recv)
        a->rbuf = MPI_IN_PLACE;
    else if (in_place)
        a->sbuf = MPI_IN_PLACE;
}

static void call_once(const plan *pl, const t_routines *f, t_side *send, t_side *recv,
                      bool in_place, const char *name)
{
    MPI_Datatype stype = MPI_DATATYPE_NULL, rtype = MPI_DATATYPE_NULL;
    t_args a;
    if (recv)
        put_input(pl, recv, in_place);
    arguments(pl, send, recv, in_place, &a);
    if (pl->bottom && pl->mv->send == T_ONE && send && send->count[0] > 0) {
        stype = absolute(send);
        a.sbuf = MPI_BOTTOM, a.scount = 1, a.stype = stype;
    }
    if (pl->bottom && pl->mv->recv == T_ONE && recv && recv->count[0] > 0 &&
        a.rbuf != MPI_IN_PLACE) {
        rtype = absolute(recv);
        a.rbuf = MPI_BOTTOM, a.rcount = 1, a.rtype = rtype;
    }
    const int code = pl->mv->issue(f, &a);
    t_check(code == MPI_SUCCESS, "%s returned %d", name, code);
    if (stype != MPI_DATATYPE_NULL)
        MPI_Type_free(&stype);
    if (rtype != MPI_DATATYPE_NULL)
        MPI_Type_free(&rtype);
}

static t_side *expected(const plan *pl, const t_side *recv)
{
    t_side *want = make_side(pl, false);
    if (want->bytes != recv->bytes)
        t_die("the expected buffer has another shape");
    put_all(pl, want, false);
    return want;
}

static void describe(const plan *pl)
{
    const t_case *c = pl->c;
    static const char *const how[] = {"equal", "random", "sparse", "one large", "nothing"};
    t_where("%s case %d on %s (p=%d r=%d) root=%d%s%s %s (%s) units=%d (%s) bytes<=%d",
            pl->mv->name, c->index, c->comm_name, c->p, c->r, c->root,
            pl->in_place ? " in place" : "", pl->bottom ? " MPI_BOTTOM" : "",
            t_family_name(pl->family),
            pl->plain   ? "basic"
            : pl->mixed ? "mixed layouts"
                        : t_layout_name(pl->family, common_layout(pl)),
            pl->units, how[pl->how], c->bytes);
}

void t_move_run(const t_move *mv, t_case *c)
{
    plan pl = make_plan(mv, c);
    const bool in_place = pl.in_place && (mv->in_place != T_AT_ROOT || c->r == c->root);
    const bool keeps_send = !in_place || mv->send_at_root;
    const bool fails = library_fails(&pl);
    describe(&pl);
    if (fails && c->native)
        return;
    t_side *send = keeps_send ? make_side(&pl, true) : NULL;
    t_side *recv = in_place && mv->send_at_root ? NULL : make_side(&pl, false);
    t_side *sent = send ? make_side(&pl, true) : NULL, *want = recv ? expected(&pl, recv) : NULL;
    if (send) {
        put_all(&pl, send, true);
        put_all(&pl, sent, true);
    }
    call_once(&pl, &t_mpi, send, recv, in_place, "the call");
    if (recv)
        t_side_result_same(recv, want, "result");
    if (send)
        t_side_same(send, sent, "send buffer after the call");
    if (c->oracle && !fails) {
        call_once(&pl, t_real(), send, recv, in_place, "the native routine");
        if (recv)
            t_side_result_same(recv, want, "result of the native routine");
    }
    t_side_free(send);
    t_side_free(recv);
    t_side_free(sent);
    t_side_free(want);
}
