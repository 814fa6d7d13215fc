/* machine_private.h - the keywords of a machine file: one table for parser and printer. */
#ifndef ATN_MODEL_MACHINE_PRIVATE_H
#define ATN_MODEL_MACHINE_PRIVATE_H

#include "model/machine.h"

typedef enum {
    ATN_UNIT_TIME,     /* microseconds */
    ATN_UNIT_BYTE,     /* nanoseconds per byte */
    ATN_UNIT_RATE,     /* megabytes per second */
    ATN_UNIT_FRACTION, /* a plain number */
    ATN_UNIT_SIZE,     /* bytes, int64_t: 64K */
    ATN_UNIT_COUNT,    /* int64_t */
    ATN_UNIT_FINGERPRINT
} atn_machine_unit;

/* A value at `at` bytes of its structure, written `line key=value`. */
typedef struct {
    const char *line, *key;
    atn_machine_unit unit;
    size_t at;
    double min, max;
} atn_machine_field;

typedef struct {
    const char *name;
    atn_machine_unit unit;
    size_t at;
} atn_machine_table;

extern const atn_machine_field atn_model_global_fields[], atn_channel_fields[];
extern const int atn_nglobal_fields, atn_nchannel_fields;
extern const atn_machine_table atn_model_global_tables[], atn_channel_tables[];
extern const int atn_nglobal_tables, atn_nchannel_tables;

/* The factor from seconds (bytes per second, numbers) to the unit. */
double atn_model_machine_unit_scale(atn_machine_unit unit);

#endif
