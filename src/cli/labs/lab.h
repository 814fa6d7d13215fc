/* lab.h - shared by the commands of `attune lab`. */
#ifndef ATN_CLI_LABS_LAB_H
#define ATN_CLI_LABS_LAB_H

#include "cli/cli.h"

#define ATN_OPTION_LAB                                                                             \
    ATN_TEXT("name", "NAME", NULL, "Name of the lab; optional if there is only one")

#endif
