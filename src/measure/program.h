/* program.h - what the measuring programs in libexec share: output of rank 0, rank placement, and
 * files that rank 0 reads for all. */
#ifndef ATN_MEASURE_PROGRAM_H
#define ATN_MEASURE_PROGRAM_H

#include <mpi.h>

#include "plan/rules.h"
#include "topo/topo.h"

/* The library in one line: "Open MPI v4.1.4". */
void atn_measure_mpi_version(char out[MPI_MAX_LIBRARY_VERSION_STRING]);
/* The same as samples record it: with the shim that the lab preloads. */
enum { ATN_PROGRAM_MPI = MPI_MAX_LIBRARY_VERSION_STRING + 32 };
void atn_measure_program_mpi(char out[ATN_PROGRAM_MPI]);
/* The first lines of samples (report/samples.h), on rank 0; `how`: special conditions of these
 * samples, " with ...", or "". */
void atn_measure_program_head(int r, int p, const atn_topo *topo, const char *how);
/* The place of the job as wisdom records it (plan/here.h): a line after the head.  False: out of
 * memory, and rank 0 has written so. */
ATN_MUST_USE bool atn_measure_program_here(int r, const atn_topo *topo);
/* Rank 0 writes a `failed` line; the job itself ends normally, because launchers bury the message
 * of a failed job under their own output.  Returns false. */
bool atn_measure_program_failed(int r, atn_status status, const char *text);

/* The topology with the ranks of the job, if rank 0 was given one ("" and NULL: none); NULL when it
 * cannot be used, and rank 0 reports why. */
atn_topo *atn_measure_program_place(int r, const char *topology);

/* Collective: the host names of all ranks, ATN_HOST_ROOM bytes each (caller frees). */
enum { ATN_HOST_ROOM = 256 };
char *atn_measure_program_hosts(int p);

/* Broadcasts a text of rank 0 (caller frees); NULL on all ranks: rank 0 has none. */
char *atn_measure_program_share(int r, char *text, size_t bytes, size_t *bytes_p);
/* Rules of a file and forced ones, read by rank 0, with the schedules that they name; NULL on all
 * ranks when they are invalid, and `err` has the reason on rank 0. */
atn_rules *atn_measure_program_rules(int r, const char *file, const char *forced, atn_error *err);

/* "chain{segment=8K}": without the operation; "native" for none. */
const char *atn_measure_choice_word(const atn_choice *c, char out[ATN_NAME_ROOM]);

#endif
