/* json.h - writes JSON as a stream: keys in the order given, two spaces of indentation.
 *
 * No library is used because this code is part of the preload library. */
#ifndef ATN_REPORT_JSON_H
#define ATN_REPORT_JSON_H

#include "base/base.h"

typedef struct {
    FILE *f;
    int depth;
    bool used; /* an element was written at this depth */
} atn_json;

/* `key` is NULL inside an array and at the top. */
void atn_report_json_open(atn_json *j, const char *key, char bracket);     /* '{' or '[' */
void atn_report_json_close(atn_json *j, char bracket);                     /* '}' or ']' */
void atn_report_json_text(atn_json *j, const char *key, const char *text); /* NULL: null */
void atn_report_json_int(atn_json *j, const char *key, int64_t v);
void atn_report_json_bool(atn_json *j, const char *key, bool v);
/* Digits with an optional sign, fraction and exponent, as JSON writes numbers. */
bool atn_report_json_is_number(const char *text);
/* A number that is already formatted; null if it is not finite. */
void atn_report_json_number(atn_json *j, const char *key, const char *digits);

#endif
