/* pcontrol.h - levels of MPI_Pcontrol that address Attune (include/attune/attune.h), and its entry
 * point. */
#ifndef ATN_INTERPOSE_PCONTROL_H
#define ATN_INTERPOSE_PCONTROL_H

#include <assert.h>
#include <stdarg.h>

#include "attune/attune.h"

/* Levels form ranges of ATTUNE_PCONTROL, one for each request. */
typedef enum {
    ATN_PCONTROL_OTHER,
    ATN_PCONTROL_CONTEXT,
    ATN_PCONTROL_RECV,
    ATN_PCONTROL_SEND
} atn_pcontrol_request;
static_assert(ATTUNE_PCONTROL_RECV == ATN_PCONTROL_RECV * ATTUNE_PCONTROL &&
                  ATTUNE_PCONTROL_SEND == ATN_PCONTROL_SEND * ATTUNE_PCONTROL,
              "ranges follow each other");

/* *number_p: number of the context, or the tag. */
static inline atn_pcontrol_request atn_interpose_pcontrol_read(int level, int *number_p)
{
    const int range = level / ATTUNE_PCONTROL;
    *number_p = level % ATTUNE_PCONTROL;
    return range >= ATN_PCONTROL_CONTEXT && range <= ATN_PCONTROL_SEND ? (atn_pcontrol_request)range
                                                                       : ATN_PCONTROL_OTHER;
}

/* Defines the exported routine `name`; its body may use `level` and `word`, the one further
 * argument that tools take. */
#define ATN_PCONTROL(name, ...)                                                                    \
    ATN_EXPORT int name(const int level, ...)                                                      \
    {                                                                                              \
        va_list words;                                                                             \
        va_start(words, level);                                                                    \
        void *const word = va_arg(words, void *);                                                  \
        va_end(words);                                                                             \
        __VA_ARGS__                                                                                \
    }

#endif
