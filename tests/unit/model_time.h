/* model_time.h - the time of schedules by one model. */
#ifndef ATN_TEST_MODEL_TIME_H
#define ATN_TEST_MODEL_TIME_H

#include "model/model.h"

/* Every natural block has n bytes. */
static inline atn_status model_time(const atn_model *model, atn_schedule *const *schedules, int p,
                                    int64_t n, const atn_machine *m, const atn_topo *t,
                                    double *seconds_p, atn_error *err)
{
    atn_op_graph g;
    atn_status status = atn_model_op_graph_make(schedules, p, &g, err);
    if (status != ATN_OK)
        return status;
    atn_model_op_graph_size(&g, n);
    status = model->evaluate(&(atn_model_case){.g = &g, .m = m, .t = t}, seconds_p, err);
    atn_model_op_graph_free(&g);
    return status;
}

#endif
