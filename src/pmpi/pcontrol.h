/* pcontrol.h - levels of MPI_Pcontrol that address Attune (include/attune/attune.h), and its entry
 * point. */
#ifndef ATN_PCONTROL_H
#define ATN_PCONTROL_H

#include <assert.h>
#include <stdarg.h>

#include "attune/attune.h"

/* Levels form ranges of ATTUNE_PCONTROL, one for each request. */
typedef enum { ATN_SAYS_NOTHING, ATN_SAYS_CONTEXT, ATN_SAYS_RECV, ATN_SAYS_SEND } atn_saying;
static_assert(ATTUNE_PCONTROL_RECV == ATN_SAYS_RECV * ATTUNE_PCONTROL &&
                  ATTUNE_PCONTROL_SEND == ATN_SAYS_SEND * ATTUNE_PCONTROL,
              "ranges follow each other");

/* *number_p: number of the context, or the tag. */
static inline atn_saying atn_read_level(int level, int *number_p)
{
    const int range = level / ATTUNE_PCONTROL;
    *number_p = level % ATTUNE_PCONTROL;
    return range >= ATN_SAYS_CONTEXT && range <= ATN_SAYS_SEND ? (atn_saying)range
                                                               : ATN_SAYS_NOTHING;
}

/* Defines the exported routine `name`; its body may use `level` and `word`, the one further argument
 * that tools take. */
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
