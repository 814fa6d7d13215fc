/* direct.h - reading the memory of another process: a single copy, without a buffer in between.
 *
 * Linux has process_vm_readv.  It needs the right to trace the other process: the same user, and
 * where the Yama module restricts that to parents, the consent of the process that is read
 * (atn_shm_direct_permit).  Containers may forbid the call, so it is probed. */
#ifndef ATN_SHM_DIRECT_H
#define ATN_SHM_DIRECT_H

#include <sys/types.h>

#include "base/base.h"
#include "shm/channel.h"

/* The restriction of the Yama module, kernel.yama.ptrace_scope.  0: none, 1: to parents and
 * processes that are permitted, above: to administrators, or no process. */
int atn_shm_direct_scope(void);
/* Permits other processes of this user to read the memory of this one, where that is restricted. */
void atn_shm_direct_permit(void);
/* Identifies the processes that should be able to read each other's memory: the same user and
 * process namespace; 0: no process can, or only parents and administrators. */
uint64_t atn_shm_direct_domain(void);
/* Memory of this process for measurements by the others, ATN_SHM_AREA bytes; 0: no memory. */
enum { ATN_SHM_AREA = 256 << 10 };
uint64_t atn_shm_direct_area(void);
/* The size from which on a message is transferred faster by one read than by two copies through
 * chunks, measured with the area of another process; INT64_MAX: never. */
int64_t atn_shm_direct_threshold(pid_t pid, uint64_t area);
/* False: failed, nothing may be assumed about `to`. */
bool atn_shm_direct_read(pid_t pid, void *to, uint64_t from, int64_t bytes);
/* Passes the data of a transfer, from t->at on, to its sink through its buffer.  False: failed at
 * t->at. */
bool atn_shm_direct_take(pid_t pid, atn_shm_transfer *t, uint64_t from);

#endif
