/* alpha_beta.c - see alpha_beta.h. */
#include "model/alpha_beta.h"

#include "model/ports.h"

static double cost(void *context, const atn_op_graph *g, int id, atn_message_cost *c)
{
    const atn_alpha_beta *m = context;
    const atn_op_node *x = &g->nodes[id];
    const double bytes = (double)x->bytes, takes = m->a + m->b * bytes;

    switch (x->kind) {
    case ATN_OP_REDUCE:
        return m->g * bytes;
    case ATN_OP_READ:
        return takes;
    case ATN_OP_READ_REDUCE:
        return takes + m->g * bytes;
    case ATN_OP_SEND:
    case ATN_OP_RECV:
        break;
    default:
        return 0.0;
    }
    *c = (atn_message_cost){
        .sync = true, .send = takes, .send_port = takes, .recv = takes, .recv_port = takes};
    return 0.0;
}

atn_status atn_model_alpha_beta_time(atn_schedule *const *schedules, int p, int64_t n,
                                     const atn_alpha_beta *m, double *time_p, atn_error *err)
{
    atn_op_graph g;
    atn_status status = atn_model_op_graph_make(schedules, p, &g, err);

    if (status != ATN_OK)
        return status;
    atn_model_op_graph_size(&g, n);
    status = atn_model_ports_time(&g, cost, (void *)m, NULL, time_p, err);
    atn_model_op_graph_free(&g);
    return status;
}
