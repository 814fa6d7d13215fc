/* complete.c - completion: `attune --complete` prints candidates from the tables; the scripts of
 * the shells only pass words and show the result. */
#include "algo/algo.h"
#include "cli/cli.h"
#include "cli/topics.h"

#include <string.h>

typedef struct {
    FILE *f;
    const char *partial; /* the word at the cursor */
} request;

static void offer(const request *q, const char *before, const char *word, const char *doc)
{
    char whole[160];
    snprintf(whole, sizeof whole, "%s%s", before, word);
    if (strncmp(whole, q->partial, strlen(q->partial)) == 0)
        fprintf(q->f, "%s\t%.*s\n", whole, (int)strcspn(doc, ";\n"), doc);
}

static void offer_files(const request *q) { fputs(":files\n", q->f); }

static void offer_words(const request *q, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        offer(q, "", words[i], "");
}

static void offer_nouns(const request *q)
{
    atn_noun noun;
    for (int i = 0; atn_cli_noun_at(i, &noun); i++)
        if (!noun.hidden)
            offer(q, "", noun.name, noun.help);
}

static void offer_verbs(const request *q, const atn_noun *noun)
{
    for (int i = 0; noun->verbs && i < noun->n; i++) {
        const atn_command *const c = atn_cli_command_at(noun->first + i);
        offer(q, "", c->verb, c->help);
    }
}

static void offer_help(const request *q)
{
    atn_noun noun;
    offer_nouns(q);
    offer(q, "", "all", "All commands by group, and all topics");
    for (int g = 0; g < ATN_GROUPS; g++)
        if (!atn_cli_noun_find(atn_cli_group_word((atn_help_group)g), &noun))
            offer(q, "", atn_cli_group_word((atn_help_group)g),
                  atn_cli_group_title((atn_help_group)g));
    for (const atn_topic *t = atn_cli_topics; t->name; t++)
        offer(q, "", t->name, t->help);
}

static void offer_operands(const request *q, const atn_command *c)
{
    const char *const operands = c->operands ? c->operands : "";
    for (int i = 0; strstr(operands, "OPERATION") && i < ATN_OPERATIONS; i++)
        offer(q, "", atn_sched_operation_get((atn_operation)i)->name, "");
    for (int i = 0; strstr(operands, "NAME") && i < atn_algo_catalog_rows(); i++)
        offer(q, "", atn_algo_catalog_row(i)->name, atn_algo_catalog_row(i)->algo->summary);
    offer_files(q);
}

static void offer_options(const request *q, const atn_command *c)
{
    atn_option o;
    for (int i = 0; atn_cli_command_option(c, i, &o); i++)
        offer(q, "--", o.name, o.doc);
}

/* Whether `word` is an option of the command that takes the next word as its argument. */
static bool takes_argument(const atn_command *c, const char *word, atn_option *option_p)
{
    for (int i = 0; word[0] == '-' && atn_cli_command_option(c, i, option_p); i++) {
        const bool own = word[1] == '-' ? strcmp(word + 2, option_p->name) == 0
                                        : word[1] && word[1] == option_p->letter && !word[2];
        if (own)
            return option_p->type != ATN_OPT_FLAG && option_p->type != ATN_OPT_MAYBE;
    }
    return false;
}

/* Words of a command after noun and verb; the last one is `q->partial`. */
static void complete_command(const request *q, const atn_command *c, int n, char **words)
{
    atn_option o;
    for (int i = 0; i + 1 < n; i++)
        if (strcmp(words[i], "--") == 0) {
            offer_files(q);
            return;
        }
    if (n > 1 && takes_argument(c, words[n - 2], &o) && o.words)
        offer_words(q, o.words);
    else if (n > 1 && takes_argument(c, words[n - 2], &o))
        offer_files(q);
    else if (q->partial[0] == '-')
        offer_options(q, c);
    else
        offer_operands(q, c);
}

static void complete_top(const request *q, int n, char **words)
{
    for (const atn_option *o = atn_cli_top_options; n == 1 && o->name; o++)
        offer(q, "--", o->name, o->doc);
    if (n == 2 && strcmp(words[0], "--completion") == 0)
        offer_words(q, atn_cli_shells);
    if (n == 2 && strcmp(words[0], "--man") == 0)
        offer_nouns(q);
}

void atn_cli_complete(FILE *f, int n, char **words)
{
    const request q = {f, n > 0 ? words[n - 1] : ""};
    const bool help = n > 1 && strcmp(words[0], "help") == 0 && q.partial[0] != '-';
    atn_noun noun;
    if (n <= 1)
        offer_nouns(&q);
    if (n <= 1 || words[0][0] == '-')
        complete_top(&q, n > 0 ? n : 1, words);
    else if (help && n == 2)
        offer_help(&q);
    else if (help && n == 3 && atn_cli_noun_find(words[1], &noun))
        offer_verbs(&q, &noun);
    else if (!help && atn_cli_noun_find(words[0], &noun)) {
        const int used = noun.verbs ? 2 : 1;
        const atn_command *const c = n > used ? atn_cli_command_find(words[0], words[1]) : NULL;
        if (noun.verbs && n == 2)
            offer_verbs(&q, &noun);
        else if (c)
            complete_command(&q, c, n - used, words + used);
    }
}

/* ---- scripts ---- */

static const char bash[] =
    "# bash completion for attune; load with: source <(attune --completion bash)\n"
    "_attune()\n"
    "{\n"
    "    local line word=${COMP_WORDS[COMP_CWORD]}\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        if [ \"$line\" = :files ]; then\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            while IFS= read -r line; do COMPREPLY+=(\"$line\"); done < <(compgen -f -- "
    "\"$word\")\n"
    "        else\n"
    "            COMPREPLY+=(\"${line%%$'\\t'*}\")\n"
    "        fi\n"
    "    done < <(\"${1:-attune}\" --complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _attune attune\n";

static const char zsh[] =
    "#compdef attune\n"
    "# zsh completion for attune; load with: source <(attune --completion zsh)\n"
    "_attune()\n"
    "{\n"
    "    local line tab=$'\\t' files=0\n"
    "    local -a lines candidates\n"
    "    lines=(\"${(@f)$(\"${words[1]}\" --complete \"${(@)words[2,CURRENT]}\" 2>/dev/null)}\")\n"
    "    for line in \"${lines[@]}\"; do\n"
    "        case $line in\n"
    "            '') ;;\n"
    "            :files) files=1 ;;\n"
    "            *) candidates+=(\"${${line%%$tab*}//:/\\\\:}:${line#*$tab}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( ${#candidates} )) && _describe attune candidates\n"
    "    (( files )) && _files\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _attune ]; then\n"
    "    _attune \"$@\"\n"
    "else\n"
    "    compdef _attune attune\n"
    "fi\n";

static const char fish[] =
    "# fish completion for attune; load with: attune --completion fish | source\n"
    "function __attune_complete\n"
    "    set -l words (commandline -opc)\n"
    "    set -l current (commandline -ct)\n"
    "    for line in ($words[1] --complete $words[2..-1] \"$current\" 2>/dev/null)\n"
    "        if test \"$line\" = :files\n"
    "            __fish_complete_path \"$current\"\n"
    "        else\n"
    "            printf '%s\\n' $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c attune -f -a '(__attune_complete)'\n";

const char *const atn_cli_shells[] = {"bash", "zsh", "fish", NULL};

const char *atn_cli_completion_script(const char *shell)
{
    static const char *const scripts[] = {bash, zsh, fish};
    for (int i = 0; atn_cli_shells[i]; i++)
        if (strcmp(shell, atn_cli_shells[i]) == 0)
            return scripts[i];
    return NULL;
}
