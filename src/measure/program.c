/* program.c - see program.h. */
#include "measure/program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/flavour.h"
#include "exec/host.h"
#include "exec/place.h"
#include "measure/coordinator.h"
#include "plan/here.h"

void atn_measure_mpi_version(char out[MPI_MAX_LIBRARY_VERSION_STRING])
{
    int length;
    MPI_Get_library_version(out, &length);
    out[strcspn(out, ",\n")] = '\0';
    char *const more = strstr(out, ". "); /* "SMPI Version 3.32. Copyright ..." */
    if (more != NULL)
        *more = '\0';
    for (char *at = out; *at; at++) /* "MPICH Version:\t4.0.2" */
        *at = *at == '\t' ? ' ' : *at;
}

void atn_measure_program_mpi(char out[ATN_PROGRAM_MPI])
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    const char *preload = getenv("LD_PRELOAD");
    atn_measure_mpi_version(version);
    snprintf(out, ATN_PROGRAM_MPI, "%s%s", version,
             preload && strstr(preload, "labyield") ? " with the lab's yield shim" : "");
}

void atn_measure_program_head(int r, int p, const atn_topo *topo, const char *how)
{
    char mpi[ATN_PROGRAM_MPI];
    if (r != 0)
        return;
    atn_measure_program_mpi(mpi);
    printf("attune-samples 1\njob %d %016llx %s%s\n", p,
           topo ? (unsigned long long)atn_topo_fingerprint(topo) : 0ULL, mpi, how);
}

bool atn_measure_program_here(int r, const atn_topo *topo)
{
    char machine[ATN_HERE_ROOM], place[ATN_HERE_ROOM];
    if (r != 0)
        return true;
    atn_plan_here_machine(ATN_MPI_BUILT_FOR, machine);
    if (!atn_plan_here_name(machine, topo, place))
        return atn_measure_program_failed(r, ATN_MEMORY, "out of memory");
    printf("place %s\n", place);
    return true;
}

bool atn_measure_program_failed(int r, atn_status status, const char *text)
{
    if (r == 0)
        printf("failed %d %s\n", (int)status, text);
    fflush(stdout);
    return false;
}

atn_topo *atn_measure_program_place(int r, const char *topology)
{
    const atn_place_mpi mpi = {MPI_Bcast, MPI_Allreduce};
    atn_error err = {0};
    atn_topo *topo = NULL;
    int given = topology != NULL && *topology != '\0';
    MPI_Bcast(&given, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (given)
        atn_exec_place_ranks(&mpi, MPI_COMM_WORLD, topology, &topo, &err);
    if (given && topo == NULL && r == 0)
        fprintf(stderr, "attune: %s; no topology is used, so there is no bound\n", err.text);
    return topo;
}

char *atn_measure_program_hosts(int p)
{
    char own[ATN_HOST_ROOM] = "", *all = malloc((size_t)p * ATN_HOST_ROOM);
    if (all == NULL)
        atn_measure_abort_memory();
    atn_exec_host_name(own, sizeof own);
    MPI_Allgather(own, ATN_HOST_ROOM, MPI_CHAR, all, ATN_HOST_ROOM, MPI_CHAR, MPI_COMM_WORLD);
    return all;
}

char *atn_measure_program_share(int r, char *text, size_t bytes, size_t *bytes_p)
{
    int64_t n = text != NULL ? (int64_t)bytes : -1;
    MPI_Bcast(&n, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (n < 0)
        return NULL;
    if (r != 0)
        text = malloc((size_t)n + 1);
    if (text == NULL)
        atn_measure_abort_memory();
    MPI_Bcast(text, (int)n, MPI_CHAR, 0, MPI_COMM_WORLD);
    text[n] = '\0';
    *bytes_p = (size_t)n;
    return text;
}

atn_rules *atn_measure_program_rules(int r, const char *file, const char *forced, atn_error *err)
{
    atn_rules *rules = NULL;
    char *text = NULL;
    size_t bytes = 0;
    if (r == 0 && atn_plan_rules_load(file, forced, "rules", &rules, err) == ATN_OK)
        atn_plan_rules_pack(rules, &text, &bytes, err);
    char *const all = atn_measure_program_share(r, text, bytes, &bytes);
    if (all == NULL) {
        atn_plan_rules_free(rules);
        return NULL;
    }
    if (r != 0)
        atn_plan_rules_unpack(all, bytes, &rules, err);
    free(all);
    return rules;
}

const char *atn_measure_choice_word(const atn_choice *c, char out[ATN_NAME_ROOM])
{
    if (c->row == NULL)
        return "native";
    atn_algo_params_print(c->row, &c->params, out, ATN_NAME_ROOM);
    return strchr(out, '/') + 1;
}
