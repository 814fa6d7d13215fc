/* program.h - what the programs behind commands that measure have in common: what rank 0 tells,
 * where ranks are, and texts that one rank reads for all. */
#ifndef ATN_PROGRAM_H
#define ATN_PROGRAM_H

#include <mpi.h>

#include "plan/rules.h"
#include "topo/topo.h"

/* The library in one line: "Open MPI v4.1.4". */
void atn_mpi_version(char out[MPI_MAX_LIBRARY_VERSION_STRING]);
/* The same as samples have it: with what was preloaded by the lab. */
enum { ATN_PROGRAM_MPI = MPI_MAX_LIBRARY_VERSION_STRING + 32 };
void atn_program_mpi(char out[ATN_PROGRAM_MPI]);
/* The first lines of samples (report/samples.h), on rank 0; `how`: what makes these samples others
 * than the usual ones, " with ...", or "". */
void atn_program_head(int r, int p, const atn_topo *topo, const char *how);
/* Where the job is, as wisdom says it (plan/here.h): a line behind the head.  False: it
 * cannot be told, as rank 0 has written. */
ATN_MUST_USE bool atn_program_here(int r, const atn_topo *topo);
/* Rank 0 writes that the job gives up; a failure of the job itself would be buried under words of
 * the launcher.  Returns false. */
bool atn_program_failed(int r, atn_status status, const char *text);

/* The placed topology, where rank 0 was given one ("" and NULL: none); NULL when it cannot be used,
 * which rank 0 tells. */
atn_topo *atn_program_place(int r, const char *topology);

/* Rank 0 gives a text, all get it (caller frees); NULL on all: rank 0 has none. */
char *atn_program_share(int r, char *text, size_t bytes, size_t *bytes_p);
/* Rules of a file and forced ones, read by rank 0, with the schedules that they name; NULL on all
 * ranks when they are bad, and then `err` has the reason on rank 0. */
atn_rules *atn_program_rules(int r, const char *file, const char *forced, atn_error *err);

/* "chain{segment=8K}": without the operation; "native" for none. */
const char *atn_choice_word(const atn_choice *c, char out[ATN_NAME_ROOM]);

#endif
