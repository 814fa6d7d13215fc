/* error.c - one failure, one message. */
#include <stdarg.h>

#include "base/base.h"

#undef atn_fail

atn_status atn_fail(atn_error *err, atn_status status, const char *format, ...)
{
    if (err != NULL && err->status == ATN_OK) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        err->status = status;
    }
    return status;
}
