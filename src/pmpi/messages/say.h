/* say.h - one line on standard error. */
#ifndef ATN_MESSAGES_SAY_H
#define ATN_MESSAGES_SAY_H

void atn_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
