/* json.h - writes JSON as a stream: keys in the order given, two spaces of indentation.
 *
 * Written here, not with a library, because this code is linked into other people's programs. */
#ifndef ATN_JSON_H
#define ATN_JSON_H

#include "base/base.h"

typedef struct {
    FILE *f;
    int depth;
    bool used; /* something stands already at this depth */
} atn_json;

/* `key` is NULL inside an array and at the top. */
void atn_json_open(atn_json *j, const char *key, char bracket);     /* '{' or '[' */
void atn_json_close(atn_json *j, char bracket);                     /* '}' or ']' */
void atn_json_text(atn_json *j, const char *key, const char *text); /* NULL: null */
void atn_json_int(atn_json *j, const char *key, int64_t v);
void atn_json_bool(atn_json *j, const char *key, bool v);
/* A number already in words; null when it is none. */
void atn_json_number(atn_json *j, const char *key, const char *digits);

#endif
