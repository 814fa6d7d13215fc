/* drawing.c - see drawing.h. */
#include "cli/tuning/drawing.h"

#include <stdlib.h>
#include <string.h>

#include "cli/capture.h"
#include "cli/sampling.h"
#include "report/html.h"

enum { LARGEST = 1 << 18 /* bytes of a drawing */ };

static char *draw(const char *algorithm, int ranks)
{
    atn_words words = {0};
    char p[16], *text = NULL;
    snprintf(p, sizeof p, "%d", ranks);
    if (atn_cli_words_add(&words, algorithm) && atn_cli_words_option(&words, "ranks", p))
        text = atn_cli_capture(&atn_cmd_schedule_draw, &words);
    atn_cli_words_free(&words);
    if (text != NULL && strlen(text) <= LARGEST)
        return text;
    free(text);
    return NULL;
}

/* An image, because styles inside of a drawing would change the page. */
void atn_cli_drawing_put(FILE *f, const char *operation, const char *use, int ranks)
{
    char algorithm[320];
    const int p = atn_min(ranks, ATN_DRAWN_RANKS);
    snprintf(algorithm, sizeof algorithm, "%s/%s", operation, use);
    char *const svg = draw(algorithm, p);
    fputs(svg != NULL ? "<details><summary><code>" : "<p><code>", f);
    fputs("attune schedule draw '", f);
    atn_report_html_text(f, algorithm);
    fprintf(f, "' -p %d -o schedule.svg</code>", p);
    if (svg != NULL) {
        fputs("</summary><div class=\"scroll\"><img alt=\"schedule\" "
              "src=\"data:image/svg+xml;base64,",
              f);
        atn_report_html_base64(f, (const uint8_t *)svg, (int)strlen(svg));
        fputs("\"></div></details>\n", f);
    } else
        fputs("</p>\n", f);
    free(svg);
}
