/* drawing.c - see drawing.h. */
#include "cli/tuning/drawing.h"

#include <stdlib.h>
#include <string.h>

#include "cli/capture.h"
#include "cli/sampling.h"
#include "report/html.h"

enum { LARGEST = 1 << 18 /* bytes of a drawing */ };

/* Ranks: "ranks", or "topology" of that many hosts on one switch. */
static char *draw(const char *algorithm, const char *option, const char *value)
{
    atn_words words = {0};
    char *text = NULL;
    if (atn_cli_words_add(&words, algorithm) && atn_cli_words_option(&words, option, value))
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
    char algorithm[320], p[16], hosts[32];
    snprintf(algorithm, sizeof algorithm, "%s/%s", operation, use);
    snprintf(p, sizeof p, "%d", atn_min(ranks, ATN_DRAWN_RANKS));
    snprintf(hosts, sizeof hosts, "%s@1G", p);
    char *svg = draw(algorithm, "ranks", p);
    const bool placed = svg == NULL && (svg = draw(algorithm, "topology", hosts)) != NULL;
    if (svg == NULL)
        return;
    fputs("<details><summary><code>attune schedule draw '", f);
    atn_report_html_text(f, algorithm);
    fprintf(f,
            "' %s %s -o schedule.svg</code></summary><div class=\"scroll\"><img "
            "alt=\"schedule\" src=\"data:image/svg+xml;base64,",
            placed ? "--topology" : "-p", placed ? hosts : p);
    atn_report_html_base64(f, (const uint8_t *)svg, (int)strlen(svg));
    fputs("\"></div></details>\n", f);
    free(svg);
}
