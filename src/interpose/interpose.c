/* interpose.c - see interpose.h. */
#include "interpose/interpose.h"

#include <dlfcn.h>
#include <stddef.h>

#include "interpose/message.h"

void *atn_interpose_next_symbol(const char *name, const char *needed_by)
{
    void *const next = dlsym(RTLD_NEXT, name);
    if (next == NULL)
        atn_interpose_print_line("the MPI library has no %s, which %s needs", name, needed_by);
    return next;
}
