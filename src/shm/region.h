/* region.h - the memory that the ranks of a communicator on one host share.
 *
 * One of them creates it as an anonymous file (memfd_create), so it has no name, nothing remains
 * of it when processes are killed, and /dev/shm is not needed.  The others open it through /proc,
 * which requires the same user, the same kernel and the same process namespace, and compare a
 * secret; equal host names prove nothing.  It has a bell and a board for each rank and a
 * channel for each ordered pair, which take memory only when they are used. */
#ifndef ATN_SHM_REGION_H
#define ATN_SHM_REGION_H

#include <sys/types.h>

#include "shm/board.h"
#include "shm/channel.h"

/* What a rank offers to the others. */
typedef struct {
    uint64_t kernel; /* ranks with the same one may share memory; 0: does not take part */
    uint64_t secret[2];
    uint64_t probe; /* address of the secret in this process */
    uint64_t area;  /* see atn_shm_direct_area */
    int32_t pid, fd;
} atn_shm_offer;

/* Creates the file; fd is -1 if that is not possible. */
void atn_shm_offer_make(uint64_t kernel, const uint64_t secret[2], atn_shm_offer *offer_p);
void atn_shm_offer_close(atn_shm_offer *own);

typedef struct {
    char *base;
    size_t bytes;
    int n, r; /* ranks of this host; number of this rank */
} atn_shm_region;

enum { ATN_SHM_MOST_RANKS = 256 };

/* Bytes of address space for n ranks. */
size_t atn_shm_region_bytes(int n);
/* Maps the file of `maker`, which is rank 0 of n.  False: not possible. */
bool atn_shm_region_open(const atn_shm_offer *maker, int n, int r, atn_shm_region *region_p);
void atn_shm_region_close(atn_shm_region *m);

atn_shm_bell *atn_shm_region_bell(const atn_shm_region *m, int r);
atn_shm_board *atn_shm_region_board(const atn_shm_region *m, int r);
atn_shm_ring *atn_shm_region_ring(const atn_shm_region *m, int from, int to);

#endif
