/* memory.h - the memory of a predictor for symbols: a window or cycles. */
#ifndef ATN_PREDICT_MEMORY_H
#define ATN_PREDICT_MEMORY_H

#include "predict/predict.h"

typedef struct atn_predict_memory {
    void *(*make)(const atn_predictor_choice *c, const atn_predict_rules *rules);
    /* For the requests `ahead` .. `ahead + count - 1` from now. */
    bool (*offers)(const void *memory, int ahead, int count, atn_symbols *out);
    bool (*update)(void *memory, int symbol);
    /* Updates the sizes of a predictor with several memories; adds to *held_p the symbols that
     * this one holds now. */
    void (*measure)(const void *memory, atn_predict_size *size, int64_t *held_p);
    void (*free)(void *memory);
} atn_predict_memory;

extern const atn_predict_memory atn_window_memory, atn_cycle_memory;

#endif
