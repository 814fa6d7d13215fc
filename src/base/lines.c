/* lines.c - see lines.h. */
#include "base/lines.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r";

/* ---- messages ---- */

atn_status atn_lines_fail(const atn_lines *l, const char *format, ...)
{
    char text[ATN_ERROR_ROOM];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return atn_fail(l->err, ATN_INPUT, "%s:%d: %s", l->file, atn_max(l->line, 1), text);
}

atn_status atn_lines_no_memory(const atn_lines *l)
{
    return atn_fail(l->err, ATN_MEMORY, "%s: out of memory", l->file);
}

/* ---- lines ---- */

char *atn_lines_word(atn_lines *l)
{
    char *const word = l->rest + strspn(l->rest, blanks), *end = word + strcspn(word, blanks);
    l->rest = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return end > word ? word : NULL;
}

static bool is_blank(char c) { return c != '\0' && strchr(blanks, c) != NULL; }

static bool is_comment(const atn_lines *l)
{
    return l->format->comments == ATN_COMMENT_LINE && *l->text == '#';
}

static atn_status check(const atn_lines *l, size_t length, bool complete)
{
    if (l->format->whole && !complete)
        return atn_lines_fail(l, "the last line has no end: the file is truncated; restore it");
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)l->text[i] < ' ' && l->text[i] != '\t')
            return atn_lines_fail(l,
                                  "byte 0x%02x is not text; the file is damaged or of another kind",
                                  (unsigned char)l->text[i]);
    if (l->ended && length > 0 && !is_comment(l))
        return atn_lines_fail(
            l, "text after \"end\"; remove it (two files cannot be joined this way)");
    return ATN_OK;
}

/* Sets text and rest to the next line, without comment and blanks at both ends. */
static atn_status cut(atn_lines *l)
{
    char *const newline = memchr(l->next, '\n', (size_t)(l->stop - l->next));
    char *end = newline != NULL ? newline : l->stop;
    char *const comment = l->format->comments == ATN_COMMENT_TAIL
                              ? memchr(l->next, '#', (size_t)(end - l->next))
                              : NULL;
    l->text = l->next;
    l->next = newline != NULL ? newline + 1 : l->stop;
    end = comment != NULL ? comment : end;
    while (l->text < end && is_blank(*l->text))
        l->text++;
    while (end > l->text && is_blank(end[-1]))
        end--;
    *end = '\0';
    l->rest = l->text;
    return check(l, (size_t)(end - l->text), newline != NULL);
}

/* Whether the line is "end". */
static bool is_end(atn_lines *l, atn_status *status_p)
{
    if (!l->format->ends || strncmp(l->text, "end", 3) != 0 ||
        (l->text[3] != '\0' && !is_blank(l->text[3])))
        return false;
    l->ended = true;
    if (l->text[3] != '\0')
        *status_p = atn_lines_fail(l, "nothing may follow \"end\" on its line; remove it");
    return true;
}

bool atn_lines_next(atn_lines *l, atn_status *status_p)
{
    while (*status_p == ATN_OK && l->next < l->stop) {
        l->line++;
        *status_p = cut(l);
        if (*status_p == ATN_OK && *l->text != '\0' && !is_comment(l) && !is_end(l, status_p))
            return true;
    }
    if (*status_p != ATN_OK || !l->format->ends || l->ended)
        return false;
    l->line++;
    *status_p = atn_lines_fail(l, "the line \"end\" is missing: the file is truncated; restore it, "
                                  "or add \"end\" if it is complete");
    return false;
}

/* ---- version ---- */

static void skip_comments(atn_lines *l)
{
    while (l->format->comments != ATN_COMMENT_NONE && l->next < l->stop) {
        const char first = l->next[strspn(l->next, blanks)];
        if (first != '#' && first != '\n')
            return;
        char *const newline = memchr(l->next, '\n', (size_t)(l->stop - l->next));
        l->next = newline != NULL ? newline + 1 : l->stop;
        l->line++;
    }
}

/* Reads the line without changing it. */
static atn_status check_version(atn_lines *l)
{
    const atn_format *const f = l->format;
    char line[80] = "", *end;
    snprintf(line, sizeof line, "%.*s", (int)strcspn(l->next, "\r\n#"), l->next);
    atn_lines first = {.rest = line};
    const char *const magic = atn_lines_word(&first), *const word = atn_lines_word(&first);
    const long version = word != NULL ? strtol(word, &end, 10) : 0;
    if (magic == NULL || strcmp(magic, f->magic) != 0)
        return atn_lines_fail(l, "not a %s file; the first line must be \"%s %d\"", f->kind,
                              f->magic, f->version);
    if (version < 1 || *end != '\0')
        return atn_lines_fail(l, "\"%s\" is no version; the first line must be \"%s %d\"",
                              word != NULL ? word : "", f->magic, f->version);
    if (version > f->version)
        return atn_lines_fail(l, "%s file of version %ld, this Attune reads version %d; %s",
                              f->kind, version, f->version, f->remedy);
    return ATN_OK;
}

atn_status atn_lines_open(atn_lines *l, const atn_format *format, const char *file,
                          const char *text, size_t bytes, atn_error *err)
{
    *l = (atn_lines){.format = format, .file = file, .line = 1, .err = err};
    l->copy = malloc(bytes + 1);
    if (l->copy == NULL)
        return atn_lines_no_memory(l);
    memcpy(l->copy, text, bytes);
    l->copy[bytes] = '\0';
    l->next = l->copy;
    l->stop = l->copy + bytes;
    l->text = l->rest = l->stop;
    if (format->magic == NULL) {
        l->line = 0;
        return ATN_OK;
    }
    skip_comments(l);
    atn_status status = check_version(l);
    if (status == ATN_OK)
        status = cut(l);
    if (status == ATN_OK && atn_lines_word(l) != NULL)
        atn_lines_word(l);
    return status;
}

void atn_lines_close(atn_lines *l) { free(l->copy); }
