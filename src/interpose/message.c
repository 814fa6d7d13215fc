/* message.c - see message.h. */
#include "interpose/message.h"

#include <stdarg.h>
#include <stdio.h>

void atn_interpose_print_line(const char *format, ...)
{
    char text[4400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "attune: %s\n", text); /* one write, so that lines of ranks do not mix */
}
