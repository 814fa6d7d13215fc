/* fuzz.c - the program of libFuzzer: the reader that ATN_FUZZ_READER names; without it, lists
 * them. */
#include <stdio.h>
#include <stdlib.h>

#include "readers.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static const atn_fuzz_reader *reader;

static void list(void)
{
    for (int i = 0; (reader = atn_fuzz_reader_at(i)) != NULL; i++)
        printf("%s|%s|%s\n", reader->name, reader->alphabet, reader->seeds);
    exit(0);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    const char *const name = getenv("ATN_FUZZ_READER");
    if (name == NULL)
        list();
    reader = atn_fuzz_reader_find(name);
    if (reader == NULL) {
        fprintf(stderr, "fuzz: ATN_FUZZ_READER=%s is no reader of tests/fuzz/readers.def\n", name);
        exit(2);
    }
    setenv("PATH", "/nonexistent", 1); /* no program is started */
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    atn_fuzz_run(reader, data, bytes);
    return 0;
}
