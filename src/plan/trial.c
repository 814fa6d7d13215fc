/* trial.c - see trial.h. */
#include "plan/trial.h"

#include <math.h>
#include <stdlib.h>

/* ---- schedules of all ranks ---- */

static atn_status build_rank(const atn_choice *c, const atn_problem *q, int r, atn_trial_part *x,
                             atn_error *err)
{
    atn_problem mine = *q;
    mine.r = r;
    mine.in_place = false;
    return x->s[r] ? ATN_OK : atn_build(c->row, &mine, &c->params, &x->s[r], err);
}

static bool has_one_receiver(const atn_schedule *s)
{
    int to = -1;
    for (int i = 0; i < s->nops; i++) {
        if (s->ops[i].kind != ATN_OP_SEND)
            continue;
        if (to >= 0 && s->ops[i].peer != to)
            return false;
        to = s->ops[i].peer;
    }
    return true;
}

static atn_status too_large(atn_error *err)
{
    return atn_fail(err, ATN_NOT_APPLICABLE, "too large to be looked at");
}

/* One rank in the middle tells how large the others are. */
static atn_status build(const atn_choice *c, const atn_problem *q, int64_t *budget,
                        atn_trial_part *x, atn_trial_size *size_p, atn_error *err)
{
    const int middle = q->p / 2;
    atn_status status = build_rank(c, q, middle, x, err);
    if (status == ATN_OK && (int64_t)x->s[middle]->nops * q->p > *budget) {
        *size_p = has_one_receiver(x->s[middle]) ? ATN_TRIAL_RING : ATN_TRIAL_LARGE;
        return too_large(err);
    }
    for (int r = 0; r < q->p && status == ATN_OK; r++) {
        status = build_rank(c, q, r, x, err);
        if (status == ATN_OK && (*budget -= x->s[r]->nops) < 0) {
            *size_p = ATN_TRIAL_LARGE;
            status = too_large(err);
        }
    }
    return status;
}

static void free_part(atn_trial_part *x)
{
    atn_graph_free(&x->g);
    for (int r = 0; x->s && r < x->p; r++)
        atn_schedule_free(x->s[r]);
    free(x->s);
}

static atn_status make_part(atn_trial *x, const atn_choice *c, const atn_problem *q, int pieces,
                            int64_t bytes, int64_t *budget, atn_trial_size *size_p, atn_error *err)
{
    atn_trial_part *const part = &x->part[x->nparts++];
    atn_problem cut = *q;
    cut.pieces = pieces;
    *part = (atn_trial_part){.p = q->p, .s = calloc((size_t)q->p, sizeof *part->s)};
    if (part->s == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_status status = build(c, &cut, budget, part, size_p, err);
    if (status == ATN_OK)
        status = atn_graph_make(part->s, q->p, &part->g, err);
    if (status == ATN_OK)
        atn_graph_size(&part->g, bytes);
    return status;
}

/* ---- the trial ---- */

atn_status atn_trial_make(const atn_choice *choice, const atn_problem *q, int64_t *budget,
                          atn_trial *x, atn_trial_size *size_p, atn_error *err)
{
    const int pieces = atn_pieces(choice->row, q, &choice->params), half = ATN_FEW_PIECES / 2;
    const int64_t piece = q->bytes / atn_max(pieces, 1);
    const bool whole = pieces <= ATN_FEW_PIECES || piece == 0;
    const int first = whole ? pieces : ATN_FEW_PIECES;

    *x = (atn_trial){.topo = q->topo, .pieces = pieces};
    *size_p = ATN_TRIAL_FITS;
    atn_status status =
        make_part(x, choice, q, first, whole ? q->bytes : piece * first, budget, size_p, err);
    if (status == ATN_OK && !whole)
        status = make_part(x, choice, q, half, piece * half, budget, size_p, err);
    if (status != ATN_OK)
        atn_trial_free(x);
    return status;
}

void atn_trial_free(atn_trial *x)
{
    for (int i = 0; i < x->nparts; i++)
        free_part(&x->part[i]);
    x->nparts = 0;
}

atn_status atn_trial_time(const atn_trial *x, const atn_machine *m, const atn_model *model,
                          double *seconds_p, atn_error *err)
{
    double time[ATN_TRIAL_PARTS] = {0};
    atn_status status = ATN_OK;
    for (int i = 0; i < x->nparts && status == ATN_OK; i++) {
        const atn_model_case c = {.g = &x->part[i].g, .m = m, .t = x->topo};
        status = model->evaluate(&c, &time[i], err);
    }
    if (status != ATN_OK)
        return status;
    const int more = x->pieces - ATN_FEW_PIECES, half = ATN_FEW_PIECES / 2;
    *seconds_p = time[0];
    if (x->nparts == 2)
        *seconds_p += fmax(0.0, time[0] - time[1]) / half * more;
    return ATN_OK;
}
