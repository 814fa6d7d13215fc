/* wisdom_view.c - see wisdom_view.h. */
#include "pmpi/select/wisdom_view.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "pmpi/job/job.h"

typedef struct {
    char *place;
    atn_rules *rules;
} view;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ATN_VEC(view) views;

static bool find_view(const char *place, view *view_p)
{
    for (int i = 0; i < views.n; i++)
        if (strcmp(views.v[i].place, place) == 0) {
            *view_p = views.v[i];
            return true;
        }
    return false;
}

/* Results for other numbers of ranks are extrapolated. */
static bool add_view(const char *place, view *view_p)
{
    const atn_rules *const all = atn_job_current.wisdom;
    view one = {.place = strdup(place)};
    one.rules = atn_plan_rules_count(all) > 0 ? atn_plan_rules_make(atn_plan_rules_at(all, 0),
                                                                    atn_plan_rules_count(all), NULL)
                                              : atn_plan_rules_empty();
    if (one.place != NULL && one.rules != NULL && atn_plan_rules_narrow(one.rules, place, true) &&
        atn_push(&views, one)) {
        *view_p = one;
        return true;
    }
    free(one.place);
    atn_plan_rules_free(one.rules);
    return false;
}

bool atn_select_wisdom_view(const atn_topo *t, const atn_rules **rules_p, const char **place_p)
{
    char place[ATN_HERE_ROOM];
    view found = {.place = NULL};
    *rules_p = NULL;
    *place_p = NULL;
    if (atn_job_current.wisdom == NULL || atn_plan_rules_count(atn_job_current.wisdom) == 0)
        return true;
    if (!atn_plan_here_name(atn_job_current.here, t, place))
        return false;
    pthread_mutex_lock(&lock);
    const bool done = find_view(place, &found) || add_view(place, &found);
    pthread_mutex_unlock(&lock);
    *rules_p = found.rules;
    *place_p = found.place;
    return done;
}

void atn_select_wisdom_views_free(void)
{
    for (int i = 0; i < views.n; i++) {
        free(views.v[i].place);
        atn_plan_rules_free(views.v[i].rules);
    }
    atn_vec_free(&views);
}
