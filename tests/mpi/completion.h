/* completion.h - all routines that complete requests, on arrays that contain requests of any kind
 * and MPI_REQUEST_NULL. */
#ifndef TEST_COMPLETION_H
#define TEST_COMPLETION_H

#include "harness.h"

enum { T_MEANS = 11 };
const char *t_means_name(int means);
/* Whether it completes persistent collectives: MPI_Testall of MPICH itself returns an error. */
bool t_means_persists(int means, bool served);
/* Completes all n requests.  Afterwards persistent ones are inactive, the others are
 * MPI_REQUEST_NULL; `persists` marks them (NULL: none).  Checks that every request is reported
 * exactly once and that the routine reports MPI_UNDEFINED when none is left.  Requests that are
 * polled are tried in an order that depends on the random numbers.  Returns the number of
 * violations. */
int t_complete(int means, int n, MPI_Request *requests, const bool *persists, t_rng *rng);

#endif
