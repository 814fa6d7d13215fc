/* host_bytes.h - messages of bytes in any size, through ten collectives: ranks arrive at random
 * times, and send buffers are overwritten as soon as a call has returned. */
#ifndef TEST_HOST_BYTES_H
#define TEST_HOST_BYTES_H

#include "harness.h"

/* `largest`: bytes of the largest buffer.  Messages depend on the seed. */
void t_bytes_begin(size_t largest, uint64_t seed);
void t_bytes_end(void);
/* Waits for a random time, different on every rank: mostly not at all, sometimes so long that other
 * ranks may sleep. */
void t_arrive(void);
/* All collectives whose buffers are not larger than the largest, with blocks of this size. */
void t_bytes_move(size_t bytes);

/* Buffers for other tests, of the largest size. */
extern unsigned char *t_out, *t_in, *t_wanted;
void t_scramble(unsigned char *buffer, size_t bytes);

#endif
