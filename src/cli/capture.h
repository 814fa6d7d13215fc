/* capture.h - the output of another command of the command line, for pages that contain it. */
#ifndef ATN_CLI_CAPTURE_H
#define ATN_CLI_CAPTURE_H

#include "cli/cli.h"
#include "cli/launch/launch.h"

/* Runs the command with these operands and options; caller frees.  NULL: it failed. */
char *atn_cli_capture(const atn_command *command, atn_words *words);

#endif
