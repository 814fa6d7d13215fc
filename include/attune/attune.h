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

#undef ATTUNE_API
#ifdef __cplusplus
}
#endif
#endif
