/* topics.h - the topics of `attune help TOPIC`. */
#ifndef ATN_CLI_TOPICS_H
#define ATN_CLI_TOPICS_H

typedef struct {
    const char *name, *help; /* help: one line, no full stop */
    const char *text;        /* at most 60 lines of 80 columns; NULL: generated from tables */
} atn_topic;

extern const atn_topic atn_cli_topics[]; /* end with a NULL name */

#endif
