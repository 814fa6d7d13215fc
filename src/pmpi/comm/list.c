/* list.c - see list.h. */
#include "pmpi/comm/list.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* never held in MPI */
static atn_comm *head, *tail;

static void link_last(atn_comm *c)
{
    c->prev = tail;
    c->next = NULL;
    *(tail != NULL ? &tail->next : &head) = c;
    tail = c;
}

static void unlink_it(atn_comm *c)
{
    *(c->prev != NULL ? &c->prev->next : &head) = c->next;
    *(c->next != NULL ? &c->next->prev : &tail) = c->prev;
}

void atn_comm_list_append(atn_comm *c)
{
    pthread_mutex_lock(&lock);
    link_last(c);
    pthread_mutex_unlock(&lock);
}

void atn_comm_list_remove(atn_comm *c)
{
    pthread_mutex_lock(&lock);
    unlink_it(c);
    pthread_mutex_unlock(&lock);
}

void atn_comm_list_move_last(atn_comm *c)
{
    pthread_mutex_lock(&lock);
    unlink_it(c);
    link_last(c);
    pthread_mutex_unlock(&lock);
}

atn_comm *atn_comm_list_first(void) { return head; }

atn_comm *atn_comm_list_find(MPI_Comm comm)
{
    pthread_mutex_lock(&lock);
    atn_comm *c = head;
    while (c != NULL && c->user != comm)
        c = c->next;
    pthread_mutex_unlock(&lock);
    return c;
}

void atn_comm_list_visit(void (*visit)(atn_comm *c))
{
    pthread_mutex_lock(&lock);
    for (atn_comm *c = head; c != NULL; c = c->next)
        visit(c);
    pthread_mutex_unlock(&lock);
}
