/* operands.h - what reductions can be asked to combine: every basic type with every operator that
 * is valid for it, pairs, and user operators on derived types.  All values are chosen so that
 * any association gives the same bits. */
#ifndef TEST_OPERANDS_H
#define TEST_OPERANDS_H

#include "harness.h"

typedef struct {
    const char *type_name, *op_name;
    MPI_Datatype type;
    MPI_Op op;
    bool commutes;
    int kind, what; /* how to fill it; see operands.c */
} t_operand;

int t_operands(void);
/* The i-th combination; made on first use, kept until t_operands_free. */
const t_operand *t_operand_get(int i);
int t_user_operands(void); /* how many of them, at the end, are user operators */
void t_operands_free(void);

/* Writes rank `from`'s `count` operands at base. */
void t_operand_fill(const t_operand *od, void *base, int count, uint64_t seed, int from);
/* Zeroes bytes that belong to no value although no hole says so (x87 long double). */
void t_operand_blank(const t_operand *od, void *base, int count);

#endif
