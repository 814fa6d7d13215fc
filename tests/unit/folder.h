/* folder.h - a folder of its own for a test, removed afterwards. */
#ifndef ATN_TEST_FOLDER_H
#define ATN_TEST_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static inline int enter_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/attune-test-XXXXXX");
    return mkdtemp(folder) != NULL ? chdir(folder) : -1;
}

static inline int leave_folder(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

#endif
