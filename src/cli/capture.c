/* capture.c - see capture.h. */
#include "cli/capture.h"

#include <stdlib.h>

char *atn_cli_capture(const atn_command *command, atn_words *words)
{
    atn_args a = {0};
    atn_error err = {0};
    char *text = NULL;
    size_t bytes = 0;
    bool ok = atn_push(words, NULL);
    words->n -= ok;
    ok = ok && atn_cli_args_parse(command, words->n, words->v, &a, &err) == ATN_OK;
    a.out = ok ? atn_open_text(&text, &bytes) : NULL;
    ok = a.out != NULL && command->run(&a, &err) == ATN_OK;
    ok = a.out != NULL && fclose(a.out) == 0 && ok;
    atn_cli_args_free(&a);
    if (ok)
        return text;
    free(text);
    return NULL;
}
