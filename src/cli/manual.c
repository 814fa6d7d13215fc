/* manual.c - help texts and manual pages: one walk over the tables, written as text or roff. */
#include "cli/cli.h"
#include "cli/page.h"
#include "cli/topics.h"
#include "plan/settings.h"

#include <string.h>

/* ---- parts that all pages share ---- */

static void put_option(const atn_page *p, const atn_option *o)
{
    char term[64], letter[8] = "    ", argument[64] = "", doc[1024];
    const bool maybe = o->type == ATN_OPT_MAYBE;
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(term, sizeof term, "%s--%s%s", letter, o->name, maybe ? "[=" : o->argument ? " " : "");
    snprintf(argument, sizeof argument, "%s%s", o->argument ? o->argument : "", maybe ? "]" : "");
    int used = snprintf(doc, sizeof doc, "%s", o->doc);
    const bool named = o->argument && strchr(o->argument, '|'); /* the argument lists the words */
    for (int i = 0; !named && o->words && o->words[i]; i++)
        used +=
            snprintf(doc + used, sizeof doc - (size_t)used, "%s%s", i ? ", " : ": ", o->words[i]);
    if (o->type == ATN_OPT_LIST || o->type == ATN_OPT_PILE)
        used += snprintf(doc + used, sizeof doc - (size_t)used, "; may be repeated");
    if (o->fallback)
        snprintf(doc + used, sizeof doc - (size_t)used, " (default: %s)", o->fallback);
    p->entry(p->f, term, *argument ? argument : NULL, doc);
}

static void put_options(const atn_page *p, const atn_command *c)
{
    atn_option o;
    for (int i = 0; atn_cli_command_option(c, i, &o); i++)
        put_option(p, &o);
}

static void put_top_options(const atn_page *p)
{
    p->section(p->f, "Options");
    for (const atn_option *o = atn_cli_top_options; o->name; o++)
        put_option(p, o);
}

static void put_examples(const atn_page *p, const atn_command *c)
{
    for (const atn_doc *e = c->examples; e && e->term; e++)
        p->example(p->f, e->term, e->doc);
}

static void put_files(const atn_page *p, const atn_command *c)
{
    for (const atn_doc *e = c->files; e && e->term; e++)
        p->entry(p->f, e->term, NULL, e->doc);
}

void atn_cli_usage_line(const atn_command *c, char *out, size_t size)
{
    snprintf(out, size, "attune %s%s%s%s%s [options]%s", c->noun, c->verb ? " " : "",
             c->verb ? c->verb : "", c->operands ? " " : "", c->operands ? c->operands : "",
             c->flags & ATN_CMD_REST ? " -- COMMAND..." : "");
}

static void put_usage(const atn_page *p, const atn_command *c)
{
    char line[160];
    atn_cli_usage_line(c, line, sizeof line);
    p->usage(p->f, line);
}

static void put_description(const atn_page *p, const atn_command *c)
{
    char sentence[160];
    snprintf(sentence, sizeof sentence, "%s.", c->help);
    p->paragraph(p->f, sentence);
    if (c->detail)
        p->paragraph(p->f, c->detail);
}

static void put_exit_status(const atn_page *p)
{
    p->section(p->f, "Exit status");
    for (int i = 0; i < atn_cli_exit_count; i++) {
        char code[16];
        snprintf(code, sizeof code, "%d", i);
        p->entry(p->f, code, NULL, atn_cli_exit_docs[i]);
    }
}

/* `brief`: the first clause of each meaning only. */
static void put_environment(const atn_page *p, bool brief)
{
    p->section(p->f, "Environment");
    for (int i = 0; i < ATN_SETTINGS; i++) {
        const atn_setting_info *const s = atn_plan_setting_get((atn_setting)i);
        const char *const fallback = atn_plan_setting_run_default((atn_setting)i);
        char term[64], doc[1024];
        const int length = (int)(brief ? strcspn(s->doc, ";:") : strlen(s->doc));
        snprintf(term, sizeof term, "%s%s", s->name, brief ? "" : "=");
        snprintf(doc, sizeof doc, *fallback && !brief ? "%.*s (default: %s)" : "%.*s", length,
                 s->doc, fallback);
        p->entry(p->f, term, brief ? NULL : s->argument, doc);
    }
}

/* ---- help ---- */

void atn_cli_help_command(FILE *f, const atn_command *c)
{
    const atn_page p = atn_cli_page_text(f);
    put_usage(&p, c);
    put_description(&p, c);
    p.section(f, "Options");
    put_options(&p, c);
    if (c->files)
        p.section(f, "Files");
    put_files(&p, c);
    if (c->examples)
        p.section(f, "Examples");
    put_examples(&p, c);
}

static void put_command_row(const atn_page *p, const atn_command *c)
{
    char term[96];
    snprintf(term, sizeof term, "%s%s%s", c->noun, c->verb ? " " : "", c->verb ? c->verb : "");
    p->entry(p->f, term, NULL, c->help);
}

void atn_cli_help_noun(FILE *f, const atn_noun *noun)
{
    const atn_page p = atn_cli_page_text(f);
    fprintf(f, "Usage: attune %s VERB [options]\n\n%s.\n", noun->name, noun->help);
    if (noun->detail)
        p.paragraph(f, noun->detail);
    p.section(f, "Commands");
    for (int i = 0; i < noun->n; i++)
        put_command_row(&p, atn_cli_command_at(noun->first + i));
    fprintf(f, "\n'attune help %s VERB' describes a command.\n", noun->name);
}

static void put_group(const atn_page *p, atn_help_group g)
{
    p->subsection(p->f, atn_cli_group_title(g));
    for (int i = 0; i < atn_cli_command_count(); i++)
        if (atn_cli_command_group(i) == g && !(atn_cli_command_at(i)->flags & ATN_CMD_HIDDEN))
            put_command_row(p, atn_cli_command_at(i));
}

static void put_topic_rows(const atn_page *p)
{
    p->section(p->f, "Topics");
    for (const atn_topic *t = atn_cli_topics; t->name; t++)
        p->entry(p->f, t->name, NULL, t->help);
}

static void put_ways(const atn_page *p)
{
    p->section(p->f, "More help");
    p->entry(p->f, "attune help COMMAND [VERB]", NULL, "A command and its options, with examples");
    p->entry(p->f, "attune help all", NULL, "All commands by group, and all topics");
    p->entry(p->f, "attune help GROUP", NULL,
             "Commands of a group: running, tuning, understand, lab, research");
    p->entry(p->f, "attune help TOPIC", NULL, "A topic, such as algorithms, environment or files");
}

void atn_cli_help_first(FILE *f)
{
    const atn_page p = atn_cli_page_text(f);
    atn_noun noun;
    fprintf(f, "Usage: attune COMMAND [VERB] [options]\n\nattune - %s\n", ATN_TAGLINE);
    p.section(f, "Commands");
    for (int i = 0; atn_cli_first_nouns[i]; i++)
        if (atn_cli_noun_find(atn_cli_first_nouns[i], &noun))
            fprintf(f, "  %-11s%s\n", noun.name, noun.help);
    put_ways(&p);
    put_top_options(&p);
}

static void help_all(const atn_page *p)
{
    fprintf(p->f, "Usage: attune COMMAND [VERB] [options]\n");
    for (int g = 0; g < ATN_GROUPS; g++)
        put_group(p, (atn_help_group)g);
    put_topic_rows(p);
    fprintf(p->f, "\n'attune help COMMAND [VERB]' describes a command, 'attune help TOPIC' a "
                  "topic.\n");
}

static void help_group(const atn_page *p, atn_help_group g)
{
    fprintf(p->f, "Usage: attune COMMAND [VERB] [options]\n");
    put_group(p, g);
    fprintf(p->f, "\n'attune help COMMAND [VERB]' describes a command.\n");
}

static void help_topic(const atn_page *p, const atn_topic *t)
{
    fprintf(p->f, "%s\n", t->help);
    if (t->text)
        fprintf(p->f, "\n%s", t->text);
    if (strcmp(t->name, "environment") == 0)
        put_environment(p, true);
    if (strcmp(t->name, "exit-status") == 0)
        put_exit_status(p);
    for (int i = 0; strcmp(t->name, "files") == 0 && i < atn_cli_command_count(); i++)
        put_files(p, atn_cli_command_at(i));
}

bool atn_cli_help_word(FILE *f, const char *word)
{
    const atn_page p = atn_cli_page_text(f);
    if (strcmp(word, "all") == 0) {
        help_all(&p);
        return true;
    }
    for (int g = 0; g < ATN_GROUPS; g++)
        if (strcmp(word, atn_cli_group_word((atn_help_group)g)) == 0) {
            help_group(&p, (atn_help_group)g);
            return true;
        }
    for (const atn_topic *t = atn_cli_topics; t->name; t++)
        if (strcmp(word, t->name) == 0) {
            help_topic(&p, t);
            return true;
        }
    return false;
}

/* ---- manual pages ---- */

static const char overview[] =
    "Attune replaces the collective operations of an MPI library. `attune run` preloads it into an "
    "unmodified program; while the program runs, Attune measures which algorithm is fastest for "
    "each problem (online tuning). `attune tune` does the same ahead of time. Results are kept as "
    "wisdom. Further commands inspect algorithms, schedules, topologies, models and traces.";

static void put_title(const atn_page *p, const char *name, const char *help)
{
    fputs(".TH ", p->f);
    for (const char *c = name; *c; c++)
        fputc(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c, p->f);
    fprintf(p->f, " 1 \"\" \"attune %s\" \"User Commands\"\n", ATN_VERSION);
    p->section(p->f, "Name");
    fprintf(p->f, "%s \\- %s\n", name, help);
}

static void put_synopsis(const atn_page *p)
{
    p->section(p->f, "Synopsis");
    p->usage(p->f, "attune COMMAND [VERB] [options]");
    p->section(p->f, "Description");
    p->paragraph(p->f, overview);
}

/* References to the pages of nouns; `group` ATN_GROUPS: all. */
static void put_see_also(const atn_page *p, const atn_noun *own)
{
    atn_noun noun;
    p->section(p->f, "See also");
    if (own)
        fputs("\\fBattune\\fR(1)", p->f);
    for (int i = 0, n = own != NULL; atn_cli_noun_at(i, &noun); i++) {
        const bool related =
            !own || (strcmp(own->name, noun.name) != 0 &&
                     atn_cli_command_group(own->first) == atn_cli_command_group(noun.first));
        if (related && !noun.hidden)
            fprintf(p->f, "%s\\fBattune\\-%s\\fR(1)", n++ ? ",\n" : "", noun.name);
    }
    fputc('\n', p->f);
}

/* Files and examples of the commands first .. first + n - 1. */
static void put_notes(const atn_page *p, int first, int n)
{
    bool files = false, examples = false;
    for (int i = first; i < first + n; i++) {
        files = files || atn_cli_command_at(i)->files;
        examples = examples || atn_cli_command_at(i)->examples;
    }
    if (examples)
        p->section(p->f, "Examples");
    for (int i = first; i < first + n; i++)
        put_examples(p, atn_cli_command_at(i));
    if (files)
        p->section(p->f, "Files");
    for (int i = first; i < first + n; i++)
        put_files(p, atn_cli_command_at(i));
}

static void put_command_section(const atn_page *p, const atn_command *c)
{
    char name[96];
    snprintf(name, sizeof name, "attune %s%s%s", c->noun, c->verb ? " " : "",
             c->verb ? c->verb : "");
    p->subsection(p->f, name);
    put_usage(p, c);
    put_description(p, c);
    put_options(p, c);
}

static void put_noun_environment(const atn_page *p, const atn_noun *noun)
{
    if (atn_cli_command_at(noun->first)->flags & ATN_CMD_SETTINGS) {
        put_environment(p, false);
        return;
    }
    p->section(p->f, "Environment");
    p->paragraph(p->f, "attune(1) describes the variables that jobs read.");
}

static void man_noun(const atn_page *p, const atn_noun *noun)
{
    char name[96];
    const atn_command *const only = noun->verbs ? NULL : atn_cli_command_at(noun->first);
    snprintf(name, sizeof name, "attune\\-%s", noun->name);
    put_title(p, name, noun->help);
    p->section(p->f, "Synopsis");
    for (int i = 0; i < noun->n; i++)
        put_usage(p, atn_cli_command_at(noun->first + i));
    p->section(p->f, "Description");
    if (only)
        put_description(p, only);
    else if (noun->detail)
        p->paragraph(p->f, noun->detail);
    p->section(p->f, only ? "Options" : "Commands");
    if (only)
        put_options(p, only);
    for (int i = 0; !only && i < noun->n; i++)
        put_command_section(p, atn_cli_command_at(noun->first + i));
    put_notes(p, noun->first, noun->n);
    put_noun_environment(p, noun);
    put_exit_status(p);
    put_see_also(p, noun);
}

static void man_overview(const atn_page *p)
{
    put_title(p, "attune", ATN_TAGLINE);
    put_synopsis(p);
    p->section(p->f, "Commands");
    for (int g = 0; g < ATN_GROUPS; g++)
        put_group(p, (atn_help_group)g);
    put_top_options(p);
    p->section(p->f, "Examples");
    for (int i = 0; atn_cli_first_nouns[i]; i++) {
        atn_noun noun;
        const bool found = atn_cli_noun_find(atn_cli_first_nouns[i], &noun);
        const atn_doc *const e = found ? atn_cli_command_at(noun.first)->examples : NULL;
        if (e)
            p->example(p->f, e->term, e->doc);
    }
    p->section(p->f, "Files");
    for (int i = 0; i < atn_cli_command_count(); i++)
        put_files(p, atn_cli_command_at(i));
    put_environment(p, false);
    put_exit_status(p);
    put_see_also(p, NULL);
}

void atn_cli_man_whole(FILE *f)
{
    const atn_page p = atn_cli_page_roff(f);
    put_title(&p, "attune", ATN_TAGLINE);
    put_synopsis(&p);
    put_top_options(&p);
    p.section(f, "Commands");
    for (int i = 0; i < atn_cli_command_count(); i++)
        if (!(atn_cli_command_at(i)->flags & ATN_CMD_HIDDEN))
            put_command_section(&p, atn_cli_command_at(i));
    put_notes(&p, 0, atn_cli_command_count());
    put_environment(&p, false);
    put_exit_status(&p);
}

bool atn_cli_man_page(FILE *f, const char *name)
{
    const atn_page p = atn_cli_page_roff(f);
    atn_noun noun;
    if (strcmp(name, "attune") == 0) {
        man_overview(&p);
        return true;
    }
    if (strncmp(name, "attune-", 7) == 0)
        name += 7;
    if (!atn_cli_noun_find(name, &noun) || noun.hidden)
        return false;
    man_noun(&p, &noun);
    return true;
}
