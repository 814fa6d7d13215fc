/**
 * @file attune.h
 * @brief State of Attune, contexts for online tuning, hints for message staging.
 *
 * Programs need none of these functions: preloading the library is enough.
 *
 * The functions are part of the preload library (libattune-openmpi.so, libattune-mpich.so), which
 * `attune run` loads into the program.  A program is therefore linked without them, and they are
 * declared weak: the address of a function is NULL when the program runs without Attune.  Test it
 * before a call:
 *
 *     if (attune_version != NULL)
 *         printf("Attune %s, %s\n", attune_version(), attune_active() ? "active" : "inactive");
 *
 * Compile such a program as position-independent code (-fPIE or -fPIC, the default of most
 * compilers); otherwise the linker may resolve the test to NULL at link time.
 *
 * attune/version.h states how stable the interface is.
 */
#ifndef ATTUNE_H
#define ATTUNE_H

#include "attune/version.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef ATTUNE_INSIDE
#define ATTUNE_API __attribute__((visibility("default")))
#else
#define ATTUNE_API __attribute__((weak))
#endif

/**
 * Version of the loaded library.
 *
 * @return A string such as "0.1.0", valid until the process ends.
 */
ATTUNE_API const char *attune_version(void);

/**
 * Whether Attune serves this job.
 *
 * The result is the same on all ranks.  It is 0 outside of MPI_Init ... MPI_Finalize, with
 * ATTUNE=off, with settings or builds that differ between ranks, and with an MPI library that was
 * not built for Attune or is GPU-aware.
 *
 * @return 1 if all ranks agreed to use Attune, otherwise 0.
 */
ATTUNE_API int attune_active(void);

/**
 * Enter a context: a program phase that is tuned separately (ATTUNE_SELECT=online).
 *
 * Calls between push and pop are tuned apart from all others.  Contexts may be nested; each thread
 * has its own stack.  All ranks of a communicator must be in the same context when they call a
 * collective on it, as they must call the same collectives in the same order.
 *
 * Two alternatives need no header: MPI_Pcontrol(ATTUNE_PCONTROL + n) enters context number n
 * (1 to 6999) and MPI_Pcontrol(ATTUNE_PCONTROL) leaves the innermost one, also from Fortran;
 * MPI_Comm_set_info with the key "attune_context" gives a communicator its own context.
 *
 * @param name Name of the context; names with equal characters denote the same context.
 */
ATTUNE_API void attune_context_push(const char *name);

/** Leave the innermost context of this thread; without effect outside of any context. */
ATTUNE_API void attune_context_pop(void);

/** Base of the MPI_Pcontrol levels for contexts, see attune_context_push(). */
#define ATTUNE_PCONTROL 7000

/**
 * Announce the next receive of this process, for message staging (ATTUNE_STAGING).
 *
 * Call it as early as possible after the previous receive.  The predicted message may then be
 * received before the program posts the receive.  A wrong hint costs time but does not change
 * results.  Without staging the function has no effect; traces record it.
 *
 * MPI_Pcontrol(ATTUNE_PCONTROL_RECV + tag) does the same for tags up to 6999, also from Fortran.
 *
 * @param tag Number of the call site, 0 or more: any number that is the same for the same receive.
 */
ATTUNE_API void attune_pre_recv(int tag);

/**
 * Announce the next send of this process; otherwise like attune_pre_recv().
 *
 * MPI_Pcontrol(ATTUNE_PCONTROL_SEND + tag) does the same for tags up to 6999, also from Fortran.
 *
 * @param tag Number of the call site, 0 or more: any number that is the same for the same send.
 */
ATTUNE_API void attune_pre_send(int tag);

/** Base of the MPI_Pcontrol levels for receive hints, see attune_pre_recv(). */
#define ATTUNE_PCONTROL_RECV 14000
/** Base of the MPI_Pcontrol levels for send hints, see attune_pre_send(). */
#define ATTUNE_PCONTROL_SEND 21000

#undef ATTUNE_API
#ifdef __cplusplus
}
#endif
#endif
