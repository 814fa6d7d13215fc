/* message.h - messages of the libraries that are loaded into a job. */
#ifndef ATN_INTERPOSE_MESSAGE_H
#define ATN_INTERPOSE_MESSAGE_H

/* Prints one line on standard error, after "attune: ". */
void atn_interpose_print_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
