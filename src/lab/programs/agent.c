/* agent.c - the remote shell of jobs in a lab: agent [options of ssh] HOST COMMAND...
 *
 * It is started through a link in the folder of the lab, which identifies the lab. */
#include <string.h>

#include "lab/lab.h"

/* The name of the folder that the link is in. */
static bool lab_of(const char *self, char name[ATN_LAB_NAME_MAX + 1])
{
    const char *end = strrchr(self, '/'), *begin = end;
    while (begin != NULL && begin > self && begin[-1] != '/')
        begin--;
    if (end == NULL || end == begin || end - begin > ATN_LAB_NAME_MAX)
        return false;
    snprintf(name, ATN_LAB_NAME_MAX + 1, "%.*s", (int)(end - begin), begin);
    return true;
}

/* ssh options that launchers use; only these take an argument. */
static int skip_options(int argc, char **argv)
{
    int i = 1;
    while (i < argc && argv[i][0] == '-')
        i += strlen(argv[i]) == 2 && strchr("lpoiF", argv[i][1]) != NULL ? 2 : 1;
    return i;
}

static int complain(const atn_error *err)
{
    fprintf(stderr, "attune lab: %s\n", err->text);
    return err->status;
}

int main(int argc, char **argv)
{
    char name[ATN_LAB_NAME_MAX + 1];
    atn_lab lab;
    atn_error err = {0};
    const int i = skip_options(argc, argv);
    if (!lab_of(argv[0], name) || i + 1 >= argc) {
        atn_fail(&err, ATN_USAGE, "this program is started by the launchers of lab jobs");
        return complain(&err);
    }
    if (atn_lab_open(name, &lab, &err) == ATN_OK)
        atn_lab_shell(&lab, argv[i], argv + i + 1, &err);
    return complain(&err);
}
