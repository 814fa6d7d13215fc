/* intern.c - numbers for texts, so that a set of plain numbers can refer to them. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ATN_VEC(char *) texts; /* number 1 is texts.v[0]; never freed */

static int64_t look(const char *text)
{
    for (int i = 0; i < texts.n; i++)
        if (strcmp(texts.v[i], text) == 0)
            return i + 1;
    return -1;
}

int64_t atn_intern(const char *text)
{
    if (*text == '\0')
        return 0;
    pthread_mutex_lock(&lock);
    int64_t number = look(text);
    char *copy = number < 0 ? strdup(text) : NULL;
    if (copy && atn_push(&texts, copy))
        number = texts.n;
    else
        free(copy);
    pthread_mutex_unlock(&lock);
    return number;
}

const char *atn_interned(int64_t number)
{
    const char *text = "";
    pthread_mutex_lock(&lock);
    if (number > 0 && number <= texts.n)
        text = texts.v[number - 1];
    pthread_mutex_unlock(&lock);
    return text;
}
