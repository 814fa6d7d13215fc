/* counts.c - what the wrappers have counted: in the program, of which a preloaded tool uses it. */
#include "wrappers.h"

int wrapped_calls[WRAPPED];

int wrapper_calls(int which) { return wrapped_calls[which]; }
