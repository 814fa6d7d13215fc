/* progress_storage.c - the blocking calls of progress.c on windows and files. */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- windows ---- */

static MPI_Win win;
static int shared_int, *allocated;

static void make_window(void)
{
    MPI_Win_create(&shared_int, sizeof shared_int, sizeof shared_int, MPI_INFO_NULL, p_another,
                   &win);
}
static void free_window(void) { MPI_Win_free(&win); }

static void allocate_window(void)
{
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, p_another, &allocated, &win);
}

static void fence(void) { MPI_Win_fence(0, win); }

static void make_fenced_window(void)
{
    make_window();
    fence();
}

/* Rank 1 holds the lock of its own window until the collectives are complete. */
static void make_locked_window(void)
{
    allocate_window();
    if (t_rank == 1)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void lock_and_flush(void)
{
    const int one = 1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_flush(1, win);
    MPI_Win_unlock(1, win);
}

static void unlock_own(void)
{
    if (t_rank == 1)
        MPI_Win_unlock(1, win);
}

/* General active target synchronization: rank 0 waits for the post of rank 1. */
static void access_posted(void)
{
    const int target = 1, one = 1;
    MPI_Group all, group;
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &target, &group);
    MPI_Win_start(group, 0, win);
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

static void post_and_wait(void)
{
    const int origin = 0;
    MPI_Group all, group;
    if (t_rank != 1)
        return;
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &origin, &group);
    MPI_Win_post(group, 0, win);
    MPI_Win_wait(win);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

static void share_window(void)
{
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, p_another, &allocated, &win);
}

static void make_dynamic_window(void) { MPI_Win_create_dynamic(MPI_INFO_NULL, p_another, &win); }

static void group_of(int rank, MPI_Group *group)
{
    MPI_Group all;
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &rank, group);
    MPI_Group_free(&all);
}

/* The partner accesses the window of rank 0. */
static void put_to_root(void)
{
    const int one = 1;
    MPI_Group group;
    if (t_rank != 1)
        return;
    group_of(0, &group);
    MPI_Win_start(group, 0, win);
    MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Group_free(&group);
}

static void post_to_partner(void)
{
    MPI_Group group;
    group_of(1, &group);
    MPI_Win_post(group, 0, win);
    MPI_Group_free(&group);
}

static void waits_for_partner(void)
{
    post_to_partner();
    MPI_Win_wait(win);
}

static void tests_partner(void)
{
    int done = 0;
    post_to_partner();
    while (!done)
        MPI_Win_test(win, &done);
}

static void lock_all(void)
{
    const int one = 1;
    MPI_Win_lock_all(0, win);
    MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush_all(win);
    MPI_Win_unlock_all(win);
}

static void get_by_request(void)
{
    int value;
    MPI_Request request;
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Rget(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(1, win);
}

/* ---- files ---- */

static char path[400];

void p_storage_begin(void)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/progress.%s.data", folder ? folder : "/tmp",
             T_OPEN_MPI ? "openmpi" : "mpich");
}

static MPI_File file;

static void open_file(void)
{
    const int code =
        MPI_File_open(p_another, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                      MPI_INFO_NULL, &file);
    p_expect(code, MPI_SUCCESS, "the code of MPI_File_open");
}
static void close_file(void) { MPI_File_close(&file); }

static void write_file(void)
{
    MPI_File_write_at_all(file, 4 * t_rank, &t_rank, 1, MPI_INT, MPI_STATUS_IGNORE);
}

static void read_file(void)
{
    int word;
    MPI_File_read_at_all(file, 4 * t_rank, &word, 1, MPI_INT, MPI_STATUS_IGNORE);
}

static void write_in_order(void)
{
    MPI_File_write_ordered(file, &t_rank, 1, MPI_INT, MPI_STATUS_IGNORE);
}

static void write_in_two_steps(void)
{
    MPI_File_write_at_all_begin(file, 4 * t_rank, &t_rank, 1, MPI_INT);
    MPI_File_write_at_all_end(file, &t_rank, MPI_STATUS_IGNORE);
}

static void write_by_request(void)
{
    MPI_Request request;
    MPI_File_iwrite_at_all(file, 4 * t_rank, &t_rank, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void set_size(void) { MPI_File_set_size(file, 100); }
static void preallocate(void) { MPI_File_preallocate(file, 100); }
static void sync_file(void) { MPI_File_sync(file); }

static void set_view(void)
{
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
}

static void seek_shared(void) { MPI_File_seek_shared(file, 0, MPI_SEEK_SET); }
static void set_atomicity(void) { MPI_File_set_atomicity(file, 1); }

/* ---- the table ---- */

const p_kind p_storage_kinds[] = {
    {"MPI_Win_create", NULL, ALL_CALL(make_window), free_window, 0},
    {"MPI_Win_allocate", NULL, ALL_CALL(allocate_window), free_window, 0},
    {"MPI_Win_fence", make_fenced_window, ALL_CALL(fence), free_window, 0},
    {"MPI_Win_lock and MPI_Win_flush", make_locked_window, lock_and_flush, unlock_own, free_window,
     P_NOT_MPICH},
    {"MPI_Win_complete", make_window, access_posted, post_and_wait, free_window, P_NOT_MPICH},
    {"MPI_Win_free", make_window, ALL_CALL(free_window), NULL, 0},
    {"MPI_Win_allocate_shared", NULL, ALL_CALL(share_window), free_window, 0},
    {"MPI_Win_create_dynamic", NULL, ALL_CALL(make_dynamic_window), free_window, 0},
    {"MPI_Win_wait", make_window, waits_for_partner, put_to_root, free_window, P_NOT_MPICH},
    {"MPI_Win_test", make_window, tests_partner, put_to_root, free_window, 0},
    {"MPI_Win_flush_all", make_locked_window, lock_all, unlock_own, free_window, P_NOT_MPICH},
    {"MPI_Wait for MPI_Rget", make_locked_window, get_by_request, unlock_own, free_window,
     P_NOT_MPICH},
    {"MPI_File_open", NULL, ALL_CALL(open_file), close_file, 0},
    {"MPI_File_write_at_all", open_file, ALL_CALL(write_file), close_file, 0},
    {"MPI_File_read_at_all", open_file, ALL_CALL(read_file), close_file, 0},
    {"MPI_File_write_ordered", open_file, ALL_CALL(write_in_order), close_file, 0},
    {"MPI_File_write_at_all_end", open_file, ALL_CALL(write_in_two_steps), close_file, 0},
    {"MPI_Wait for MPI_File_iwrite_at_all", open_file, ALL_CALL(write_by_request), close_file, 0},
    {"MPI_File_set_size", open_file, ALL_CALL(set_size), close_file, 0},
    {"MPI_File_preallocate", open_file, ALL_CALL(preallocate), close_file, 0},
    {"MPI_File_set_view", open_file, ALL_CALL(set_view), close_file, 0},
    {"MPI_File_set_atomicity", open_file, ALL_CALL(set_atomicity), close_file, 0},
    {"MPI_File_seek_shared", open_file, ALL_CALL(seek_shared), close_file, 0},
    {"MPI_File_sync", open_file, ALL_CALL(sync_file), close_file, 0},
    {"MPI_File_close", open_file, ALL_CALL(close_file), NULL, 0},
};
const int p_storage_kind_count = sizeof p_storage_kinds / sizeof *p_storage_kinds;
