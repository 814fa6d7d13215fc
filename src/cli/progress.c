/* progress.c - see progress.h. */
#include "cli/progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 28, LONGEST = 200, WORDS = 160 };

double atn_cli_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- the command that a bar is part of ---- */

static struct {
    const char *title; /* NULL: none */
    double from, to, began_s;
} whole;

void atn_cli_progress_within(const char *title, double from, double to, double began_s)
{
    whole.title = title;
    whole.from = from;
    whole.to = to;
    whole.began_s = began_s;
}

static double share_of_whole(double share)
{
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return whole.title != NULL ? whole.from + (whole.to - whole.from) * share : share;
}

/* "machine: memory round_trip" */
static const char *words_of_whole(const char *what, char out[WORDS])
{
    if (whole.title == NULL)
        return what;
    snprintf(out, WORDS, "%s: %s", whole.title, what);
    return out;
}

/* ---- bars ---- */

void atn_cli_progress_begin(atn_progress *p)
{
    const char *term = getenv("TERM");
    *p = (atn_progress){.shown = isatty(STDERR_FILENO) && (!term || strcmp(term, "dumb") != 0),
                        .began_s = whole.title != NULL ? whole.began_s : atn_cli_seconds()};
}

static int screen_width(void)
{
    struct winsize size;
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return atn_min(known ? size.ws_col : 80, LONGEST);
}

/* "1:05 left", extrapolated; empty at the beginning. */
static void time_left(double passed, double share, char out[24])
{
    out[0] = '\0';
    if (share < 0.03 || passed < 2)
        return;
    const int left = (int)(passed * (1 - share) / share + 0.5);
    snprintf(out, 24, "%d:%02d left", left / 60, left % 60);
}

void atn_cli_progress_show(atn_progress *p, double share, const char *what)
{
    const double now = atn_cli_seconds();
    char left[24], line[LONGEST + 1], words[WORDS], bar[3 * BAR + 1] = "";
    if (!p->shown || (p->drawn && now - p->drawn_s < 0.1))
        return;
    share = share_of_whole(share);
    for (int i = 0; i < BAR; i++)
        strcat(bar, i < (int)(share * BAR + 0.5) ? "█" : "░");
    time_left(now - p->began_s, share, left);
    snprintf(line, sizeof line, " %3d %%  %-9s  %s", (int)(100 * share), left,
             words_of_whole(what, words));
    fprintf(stderr, "\r%s%.*s\033[K", bar, atn_max(0, screen_width() - BAR - 1), line);
    fflush(stderr);
    p->drawn = true;
    p->drawn_s = now;
}

void atn_cli_progress_line(const atn_progress *p, double share, const char *what)
{
    char left[24], words[WORDS];
    if (p->shown)
        return;
    share = share_of_whole(share);
    time_left(atn_cli_seconds() - p->began_s, share, left);
    fprintf(stderr, "attune: %d %%%s%s: %s\n", (int)(100 * share), *left ? ", " : "", left,
            words_of_whole(what, words));
}

void atn_cli_progress_clear(atn_progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}
