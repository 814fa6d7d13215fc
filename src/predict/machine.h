/* machine.h - what remembers symbols inside a predictor: a window or cycles. */
#ifndef ATN_PREDICT_MACHINE_H
#define ATN_PREDICT_MACHINE_H

#include "predict/predict.h"

typedef struct atn_machine_kind {
    void *(*make)(const atn_predictor_choice *c, const atn_predict_rules *rules);
    /* For the requests `ahead` .. `ahead + count - 1` from now. */
    bool (*offers)(const void *machine, int ahead, int count, atn_symbols *out);
    bool (*update)(void *machine, int symbol);
    /* Adds to the sizes of other machines of the same predictor; *held_p grows by the symbols it
     * holds now. */
    void (*measure)(const void *machine, atn_predict_size *size, int64_t *held_p);
    void (*free)(void *machine);
} atn_machine_kind;

extern const atn_machine_kind atn_window_machine, atn_cycle_machine;

#endif
