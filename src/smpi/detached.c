/* detached.c - preloaded into SimGrid by `attune sim`: messages under way that nothing waits for.
 *
 * SimGrid has all detached messages in one list, and looks through the whole list whenever one of
 * them ends.  A linear alltoall of 256 ranks has 65,000 of them under way, and three quarters of
 * the processor time of its simulation went there.  Here a table has the nodes of that list; a
 * node returns to the list just before its message ends, so that SimGrid finds a list of one.
 * Simulated times do not change.
 *
 * The functions are internal to SimGrid, and their names are those of C++.  The list is that of
 * libstdc++: where a message is appended in another way, it stays in the list. */
#include <dlfcn.h>
#include <search.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define IN_COMM(name) "_ZN7simgrid6kernel8activity8CommImpl" name "Ev"
#define DETACH        IN_COMM("6detach")
#define FINISH        IN_COMM("6finish")

/* std::list<T *>: a ring through its head, which also has the number of nodes. */
typedef struct node {
    struct node *next, *prev;
    void *item;
} node;
typedef struct list {
    node *first, *last;
    size_t n;
} list;

typedef void *detach_fn(void *message);
typedef void finish_fn(void *message);
typedef void hook_fn(node *inserted, node *before);

#define EXPORTED __attribute__((visibility("default")))
EXPORTED detach_fn atn_smpi_detach __asm__(DETACH);
EXPORTED finish_fn atn_smpi_finish __asm__(FINISH);
EXPORTED hook_fn atn_smpi_hook __asm__("_ZNSt8__detail15_List_node_base7_M_hookEPS0_");

/* ---- nodes ---- */

/* The last insertion into a list of this thread. */
static _Thread_local struct {
    node *inserted, *before;
} latest;

static void insert(node *inserted, node *before)
{
    inserted->next = before;
    inserted->prev = before->prev;
    before->prev->next = inserted;
    before->prev = inserted;
}

static void take_out(node *n)
{
    n->prev->next = n->next;
    n->next->prev = n->prev;
}

void atn_smpi_hook(node *inserted, node *before)
{
    insert(inserted, before);
    latest.inserted = inserted;
    latest.before = before;
}

/* ---- the table ---- */

typedef struct {
    const void *message;
    node *place;
    list *home;
} entry;
static void *table;

static int by_message(const void *a, const void *b)
{
    const char *const x = ((const entry *)a)->message, *const y = ((const entry *)b)->message;
    return (x > y) - (x < y);
}

static bool store(const void *message, node *place, list *home)
{
    entry *const e = malloc(sizeof *e);
    if (e == NULL)
        return false;
    *e = (entry){message, place, home};
    void **const slot = tsearch(e, &table, by_message);
    if (slot != NULL && *slot == e)
        return true;
    free(e);
    return false;
}

/* ---- messages ---- */

/* Whether the message was appended to a list, by this thread, just now. */
static bool is_appended(const void *message)
{
    return latest.inserted != NULL && latest.inserted->item == message &&
           latest.before->prev == latest.inserted;
}

void *atn_smpi_detach(void *message)
{
    static detach_fn *original;
    static void *finish;
    if (original == NULL) {
        *(void **)&original = dlsym(RTLD_NEXT, DETACH);
        finish = dlsym(RTLD_NEXT, FINISH);
    }
    latest.inserted = NULL;
    void *const result = original(message);
    list *const home = (list *)latest.before;
    if (finish != NULL && is_appended(message) && store(message, latest.inserted, home)) {
        take_out(latest.inserted);
        home->n--;
    }
    return result;
}

void atn_smpi_finish(void *message)
{
    static finish_fn *original;
    const entry wanted = {message, NULL, NULL};
    entry **const found = tfind(&wanted, &table, by_message);
    if (found != NULL) {
        entry *const e = *found;
        tdelete(&wanted, &table, by_message);
        insert(e->place, (node *)e->home);
        e->home->n++;
        free(e);
    }
    if (original == NULL)
        *(void **)&original = dlsym(RTLD_NEXT, FINISH);
    original(message);
}
