/* lines.h - reads text files line by line: the version in the first line, comments, words, "end",
 * and messages with file and line.
 *
 *   atn_lines l;
 *   atn_status status = atn_lines_open(&l, &format, "file", text, bytes, err);
 *   while (status == ATN_OK && atn_lines_next(&l, &status))
 *       status = read(&l);     uses atn_lines_word(&l), fails with atn_lines_fail(&l, ...)
 *   atn_lines_close(&l); */
#ifndef ATN_BASE_LINES_H
#define ATN_BASE_LINES_H

#include "base/base.h"

typedef enum {
    ATN_COMMENT_NONE, /* no comments, or lines that the caller reads itself */
    ATN_COMMENT_LINE, /* lines that begin with # */
    ATN_COMMENT_TAIL  /* from any # to the end of the line */
} atn_comments;

typedef struct {
    const char *magic;  /* "attune-machine", the first word of the file; NULL: no version */
    const char *kind;   /* "machine": names the file in messages */
    int version;        /* the newest supported version */
    const char *remedy; /* for newer ones: "use a newer Attune or measure again" */
    atn_comments comments;
    bool whole; /* the last line must end in a newline */
    bool ends;  /* the last line must be "end" */
} atn_format;

typedef struct {
    const atn_format *format;
    const char *file;
    int line;   /* number of the current line */
    char *text; /* of the current line, trimmed; never empty */
    char *rest; /* the words not read yet */
    bool ended; /* the line "end" was read */
    char *copy, *next, *stop;
    atn_error *err;
} atn_lines;

/* Copies the text and checks the version; `rest` is then the remainder of the first line. */
atn_status atn_lines_open(atn_lines *l, const atn_format *format, const char *file,
                          const char *text, size_t bytes, atn_error *err);
void atn_lines_close(atn_lines *l);

/* The next line that is neither empty nor a comment nor "end".  False: there is none, and *status_p
 * is an error if the text is damaged or incomplete. */
bool atn_lines_next(atn_lines *l, atn_status *status_p);
/* The next word of the line, or NULL; blanks separate words. */
char *atn_lines_word(atn_lines *l);

/* "FILE:LINE: ...", and "FILE: out of memory". */
atn_status atn_lines_fail(const atn_lines *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
atn_status atn_lines_no_memory(const atn_lines *l);

#endif
