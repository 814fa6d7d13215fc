/* tables.c - see tables.h.  A table is a list of rows; a row has one time per formula. */
#include "research/ron/tables.h"

enum { MAX_FORMS = 4, ROWS = 4 };

typedef struct {
    const char *name;
    int ports, delay; /* delay 0: specified by the rows */
    int messages;     /* of a multi-broadcast; 0: none */
    const char *form[MAX_FORMS];
    struct {
        int ranks, printed_ranks, delay, steps; /* steps of the last formula */
        int printed[MAX_FORMS];
    } row[ROWS];
} table;

static const table tables[] = {
    {"5.1",
     2,
     1,
     0,
     {"B1", "B2", "B3", "B4"},
     {{99, 99, 0, 0, {12, 10, 7, 5}},
      {1393, 1393, 0, 0, {20, 14, 11, 8}},
      {19601, 19601, 0, 0, {28, 18, 15, 11}},
      {114243, 114243, 0, 0, {32, 22, 17, 13}}}},
    {"5.2",
     4,
     3,
     0,
     {"B1", "B2", "B3", "B4"},
     {{85, 85, 0, 0, {12, 12, 6, 3}},
      {1369, 1369, 0, 0, {24, 20, 9, 5}},
      {22073, 22703, 0, 0, {32, 28, 11, 7}},
      {88633, 88633, 0, 0, {36, 32, 12, 8}}}},
    {"5.3",
     1,
     3,
     0,
     {"B2", "B4"},
     {{69, 69, 0, 0, {28, 12}},
      {1252, 1252, 0, 0, {44, 21}},
      {8657, 8657, 0, 0, {56, 27}},
      {82629, 82629, 0, 0, {68, 34}}}},
    {"5.4",
     4,
     3,
     10,
     {"MB1", "MB2"},
     {{85, 85, 0, 0, {60, 33}},
      {1369, 1369, 0, 0, {80, 63}},
      {22073, 22703, 0, 0, {100, 83}},
      {88633, 88633, 0, 0, {110, 93}}}},
    {"5.5",
     1,
     0,
     0,
     {"TE1", "TE2", "TE3"},
     {{1024, 1024, 2, 1, {3069, 5140, 2558}},
      {1024, 1024, 5, 3, {6138, 5170, 3202}},
      {1024, 1024, 20, 5, {21483, 5320, 4272}},
      {1024, 1024, 50, 6, {52173, 5620, 5082}}}},
    {"5.6",
     3,
     0,
     0,
     {"TE1", "TE2", "TE3"},
     {{1024, 1024, 2, 1, {1023, 1290, 768}},
      {1024, 1024, 5, 2, {2046, 1305, 963}},
      {1024, 1024, 20, 3, {7161, 1380, 1248}},
      {1024, 1024, 50, 3, {17391, 1530, 1466}}}},
};

enum { TABLES = sizeof tables / sizeof tables[0] };

static int width(const table *t)
{
    int n = 0;
    while (n < MAX_FORMS && t->form[n])
        n++;
    return n;
}

int atn_ron_entries(void)
{
    int n = 0;
    for (int i = 0; i < TABLES; i++)
        n += ROWS * width(&tables[i]);
    return n;
}

atn_ron_entry atn_ron_entry_at(int i)
{
    const table *t = tables;
    for (; i >= ROWS * width(t); t++)
        i -= ROWS * width(t);
    const int r = i / width(t), f = i % width(t);
    return (atn_ron_entry){
        .table = t->name,
        .form = t->form[f],
        .ports = t->ports,
        .delay = t->delay ? t->delay : t->row[r].delay,
        .ranks = t->row[r].ranks,
        .more = t->messages ? t->messages : t->row[r].steps,
        .printed_ranks = t->row[r].printed_ranks,
        .printed = t->row[r].printed[f],
    };
}
