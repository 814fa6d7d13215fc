/* attune.h - for programs that want to know about Attune.  No program has to: preloading the
 * library is enough.
 *
 * The functions live in the preloaded library, so a program that is linked without it must not
 * insist on them.  They are therefore declared weak; ask before calling:
 *
 *     if (attune_version != NULL)
 *         printf("Attune %s, %s\n", attune_version(), attune_active() ? "active" : "inert");
 *
 * Compile such a program as position-independent code (-fPIE or -fPIC, the default nearly
 * everywhere): otherwise the linker may settle the question when it links. */
#ifndef ATTUNE_H
#define ATTUNE_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef ATTUNE_INSIDE
#define ATTUNE_API __attribute__((visibility("default")))
#else
#define ATTUNE_API __attribute__((weak))
#endif

/* "0.1.0" */
ATTUNE_API const char *attune_version(void);

/* 1 between MPI_Init and MPI_Finalize when all ranks agreed to use Attune, else 0 (ATTUNE=off,
 * ranks that differ, another MPI, a GPU-aware MPI).  The same on all ranks. */
ATTUNE_API int attune_active(void);

/* A place in the program that is tuned on its own (ATTUNE_SELECT=online): calls between push and
 * pop learn apart from others, and contexts may be nested.  What a rank pushes and pops around its
 * collective calls must be the same on all ranks of the communicator, as the calls themselves must
 * be; each thread has its own stack.  Names are compared by their characters.
 *
 * Without these functions: MPI_Pcontrol(ATTUNE_PCONTROL + n) enters context number n (1 .. 6999),
 * MPI_Pcontrol(ATTUNE_PCONTROL) leaves the innermost one; also from Fortran.  Or give a
 * communicator a context of its own: MPI_Comm_set_info with the key "attune_context". */
ATTUNE_API void attune_context_push(const char *name);
ATTUNE_API void attune_context_pop(void);
#define ATTUNE_PCONTROL 7000

/* The next receive (the next send) of this process will come from the place in the program that
 * `tag` stands for: a number of your choice, the same whenever the same call is meant, 0 or more.
 * Say it as soon as it is known, after the receive (send) before.  It helps to foresee the
 * message, which may then be received ahead of time (ATTUNE_STAGING); wrong hints cost time, never
 * results.  Without staging these functions do nothing but appear in traces.
 *
 * Without these functions: MPI_Pcontrol(ATTUNE_PCONTROL_RECV + tag) and
 * MPI_Pcontrol(ATTUNE_PCONTROL_SEND + tag), for tags up to 6999; also from Fortran. */
ATTUNE_API void attune_pre_recv(int tag);
ATTUNE_API void attune_pre_send(int tag);
#define ATTUNE_PCONTROL_RECV 14000
#define ATTUNE_PCONTROL_SEND 21000

#undef ATTUNE_API
#ifdef __cplusplus
}
#endif
#endif
