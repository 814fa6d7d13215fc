/* complete.c - completion for bash, from the tables.
 *
 * The script holds one word list per place: the nouns, the verbs of a noun, the options of a
 * command and the words of an option.  Algorithm names are asked from `attune algo list`. */
#include "cli/cli.h"

#include <string.h>

static void nouns(FILE *f)
{
    const char *last = "";
    for (int i = 0; i < atn_command_count(); i++) {
        const atn_command *c = atn_command_at(i);
        if (strcmp(c->noun, last) != 0)
            fprintf(f, "%s%s", i ? " " : "", c->noun);
        last = c->noun;
    }
}

static void top_options(FILE *f)
{
    for (const atn_option *o = atn_top_options; o->name; o++)
        fprintf(f, " --%s", o->name);
}

/* Commands of one noun stand together in the table. */
static void verbs(FILE *f)
{
    for (int i = 0; i < atn_command_count(); i++) {
        const atn_command *c = atn_command_at(i);
        const bool first = i == 0 || strcmp(atn_command_at(i - 1)->noun, c->noun) != 0;
        const bool last =
            i + 1 == atn_command_count() || strcmp(atn_command_at(i + 1)->noun, c->noun) != 0;
        if (!c->verb)
            continue;
        if (first)
            fprintf(f, "        %s) words='", c->noun);
        fprintf(f, "%s%s", first ? "" : " ", c->verb);
        if (last)
            fprintf(f, "' ;;\n");
    }
}

static void key(FILE *f, const atn_command *c)
{
    fprintf(f, "%s%s%s", c->noun, c->verb ? "-" : "", c->verb ? c->verb : "");
}

static void options(FILE *f, const atn_command *c)
{
    atn_option o;
    fprintf(f, "        ");
    key(f, c);
    fprintf(f, ") words='");
    for (int i = 0; atn_command_option(c, i, &o); i++)
        fprintf(f, "%s--%s", i ? " " : "", o.name);
    fprintf(f, "'%s ;;\n", c->operands && strstr(c->operands, "NAME") ? "; names=1" : "");
}

static void arguments(FILE *f, const atn_command *c)
{
    atn_option o;
    for (int i = 0; atn_command_option(c, i, &o); i++) {
        if (o.type != ATN_OPT_WORD)
            continue;
        fprintf(f, "        ");
        key(f, c);
        fprintf(f, ":--%s) words='", o.name);
        for (int k = 0; o.words[k]; k++)
            fprintf(f, "%s%s", k ? " " : "", o.words[k]);
        fprintf(f, "' ;;\n");
    }
}

static const char head[] =
    "# bash completion for attune; load with: source <(attune --completion bash)\n"
    "_attune()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local noun=${COMP_WORDS[1]} command=${COMP_WORDS[1]} words='' names='' at=2\n"
    "    local nouns='";
static const char after_nouns[] = "'\n"
                                  "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                                  "        COMPREPLY=($(compgen -W \"$nouns";
static const char after_options[] =
    "\" -- \"$word\"))\n"
    "        return\n"
    "    fi\n"
    "    if [ \"$noun\" = help ] && [ \"${word#-}\" = \"$word\" ]; then\n"
    "        [ \"$COMP_CWORD\" -ne 2 ] || COMPREPLY=($(compgen -W \"$nouns\" -- \"$word\"))\n"
    "        [ \"$COMP_CWORD\" -eq 3 ] || return\n"
    "        noun=${COMP_WORDS[2]} at=3\n"
    "    fi\n"
    "    case $noun in\n";
static const char after_verbs[] = "    esac\n"
                                  "    if [ -n \"$words\" ]; then\n"
                                  "        if [ \"$COMP_CWORD\" -eq \"$at\" ]; then\n"
                                  "            COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                                  "            return\n"
                                  "        fi\n"
                                  "        command=$noun-${COMP_WORDS[2]} at=3\n"
                                  "    fi\n"
                                  "    words=''\n"
                                  "    case $command:$before in\n";
static const char after_arguments[] = "    esac\n"
                                      "    if [ -n \"$words\" ]; then\n"
                                      "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                                      "        return\n"
                                      "    fi\n"
                                      "    case $command in\n";
static const char tail[] =
    "    esac\n"
    "    if [ \"${word#-}\" != \"$word\" ]; then\n"
    "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
    "    elif [ -n \"$names\" ] && [ \"$COMP_CWORD\" -eq \"$at\" ]; then\n"
    "        COMPREPLY=($(compgen -W \"$(attune algo list --format csv 2>/dev/null |\n"
    "            sed '1d;s/,.*//')\" -- \"$word\") $(compgen -f -- \"$word\"))\n"
    "    else\n"
    "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
    "    fi\n"
    "}\n"
    "complete -F _attune attune\n";

void atn_completion_bash(FILE *f)
{
    fputs(head, f);
    nouns(f);
    fputs(after_nouns, f);
    top_options(f);
    fputs(after_options, f);
    verbs(f);
    fputs(after_verbs, f);
    for (int i = 0; i < atn_command_count(); i++)
        arguments(f, atn_command_at(i));
    fputs(after_arguments, f);
    for (int i = 0; i < atn_command_count(); i++)
        options(f, atn_command_at(i));
    fputs(tail, f);
}
