/* readers.h - calls every reader of bytes with any bytes, for fuzzing (docs/reliability.md). */
#ifndef ATN_FUZZ_READERS_H
#define ATN_FUZZ_READERS_H

#include "import/import.h"

/* `text` is a copy of the input that ends with a NUL and may be changed. */
typedef void atn_fuzz_fn(char *text, size_t bytes, atn_reader *read);

typedef struct {
    const char *name;
    atn_fuzz_fn *run;
    atn_reader *read; /* of a topology format, or NULL */
    const char *alphabet, *seeds;
} atn_fuzz_reader;

const atn_fuzz_reader *atn_fuzz_reader_at(int i); /* NULL at the end */
const atn_fuzz_reader *atn_fuzz_reader_find(const char *name);
/* Aborts if the reader violates what it promises: an invalid input must leave a reason. */
void atn_fuzz_run(const atn_fuzz_reader *r, const uint8_t *data, size_t bytes);

/* A temporary file with these bytes; the same one in every call. */
const char *atn_fuzz_file(const char *text, size_t bytes);
/* Aborts unless success has no message and failure has one that fits a status. */
void atn_fuzz_judge(atn_status status, const atn_error *err);
/* Aborts: what was read and written again cannot be read, or differs. */
void atn_fuzz_expect(bool holds, const char *what);

#define ATN_READER(name, run, ...) atn_fuzz_fn run;
#include "readers.def"
#undef ATN_READER

#endif
