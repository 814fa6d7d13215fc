/* simjob.c - see simjob.h. */
#include "simjob.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

double sim_uniform(uint64_t *state)
{
    return ((double)(random_bits(state) >> 11) + 0.5) / 9007199254740992.0;
}

/* Skewed to the right, as measured times are. */
static double noisy(const sim_machine *m, uint64_t *state)
{
    const double gauss =
        sqrt(-2 * log(sim_uniform(state))) * cos(6.283185307179586 * sim_uniform(state));
    const double factor = exp(m->noise * gauss);
    if (m->tail > 0 && sim_uniform(state) < m->tail)
        return factor * fmin(2 * pow(sim_uniform(state), -1 / 1.1), 200);
    return sim_uniform(state) < m->outliers ? 5 * factor : factor;
}

static double true_time(const sim_machine *m, int candidate, int64_t call)
{
    return m->drift > 0 && call >= m->drift ? m->later[candidate] : m->time[candidate];
}

int sim_describe(const sim_machine *m, atn_candidate list[MOST])
{
    for (int i = 0; i < m->n; i++)
        list[i] = (atn_candidate){
            .id = (uint64_t)i + 100,
            .predicted_ps = m->model[i] > 0 ? (int64_t)(m->model[i] * 1e12) : -1,
            .error = (int)(m->error * 1000),
            .group = m->group[i],
        };
    return m->n;
}

static int delay_of(const sim_job *j, const atn_tuner *t)
{
    atn_tuner_result result;
    if (j->m->delay != DELAY_OWN)
        return j->m->delay;
    atn_tune_tuner_result(t, &result);
    if (result.samples == 0) /* as observed before */
        result.best_ps = (int64_t)(j->m->time[NATIVE] * 1e12);
    return atn_tune_budget_agreement_delay(j->budget, result.best_ps);
}

void sim_one_call(sim_job *j, atn_tuner *t, int64_t call)
{
    const sim_machine *m = j->m;
    if (j->waiting == 0) {
        const int64_t sums[2] = {(int64_t)(j->sum[0] * 1e9), (int64_t)(j->sum[1] * 1e9)};
        if (atn_tune_tuner_stage(t) > 0)
            atn_tune_tuner_feed_stage(t, j->stage, (int64_t)(*j->elapsed * 1e9));
        else
            atn_tune_tuner_feed(t, sums, (int64_t)(*j->elapsed * 1e9));
        j->sum[0] = j->sum[1] = 0;
    }
    if (j->waiting >= 0)
        j->waiting--;
    const atn_step s = atn_tune_tuner_step(t, ATN_TUNE_WEIGHT);
    const double factor = noisy(m, &j->random);
    const double seconds = true_time(m, s.candidate, call) * factor;
    double cost = seconds;
    if (s.shadow >= 0)
        cost += true_time(m, s.shadow, call) * noisy(m, &j->random);
    if (s.block >= 0)
        j->sum[s.block] += s.shadow >= 0 ? cost - seconds : seconds;
    if (s.sample >= 0)
        j->stage[s.sample] = (int64_t)(seconds * 1e9);
    if (s.agree) {
        cost += m->agreement;
        j->o->agreements++;
        j->waiting = atn_max(delay_of(j, t) - 1, 0);
    }
    j->o->timed += s.block >= 0;
    j->o->served[s.candidate]++;
    j->o->total += cost;
    j->o->native += true_time(m, NATIVE, call) * factor;
    j->o->worst = fmax(j->o->worst, cost);
    *j->elapsed += cost + m->compute;
    if (j->o->total > j->o->native)
        j->o->below = call + 1;
    j->o->path = j->o->path * 31 + (uint64_t)s.candidate + 7 * (uint64_t)(s.block + 1);
}

static const atn_tune_settings *settings_of(const sim_machine *m, atn_tune_mode mode)
{
    static atn_tune_settings s;
    s = atn_tune_defaults;
    s.mode = mode;
    s.agreement_ns = (int64_t)(m->agreement * 1e9);
    return &s;
}

sim_outcome sim_play_tuner(const sim_machine *m, atn_tuner *t, atn_budget *budget, int64_t calls)
{
    sim_outcome o = {0};
    double elapsed = 0;
    sim_job j = {
        .m = m, .o = &o, .random = m->seed, .elapsed = &elapsed, .budget = budget, .waiting = -1};
    int last = -1;
    for (int64_t call = 0; call < calls; call++) {
        sim_one_call(&j, t, call);
        if (atn_tune_tuner_incumbent(t) != last) {
            last = atn_tune_tuner_incumbent(t);
            o.found = call;
        }
    }
    o.incumbent = atn_tune_tuner_incumbent(t);
    atn_tune_tuner_result(t, &o.result);
    o.budget = *budget;
    return o;
}

sim_outcome sim_play_from(const sim_machine *given, const atn_tune_settings *s, int64_t calls,
                          int start, atn_tune_start kind, double wisdom)
{
    sim_machine m = *given;
    atn_candidate list[MOST];
    atn_budget budget;
    if (m.agreement == 0)
        m.agreement = 20e-6;
    atn_tune_settings own = *s;
    own.agreement_ns = (int64_t)(m.agreement * 1e9);
    atn_tune_budget_begin(&budget, 20, own.agreement_ns);
    const int n = sim_describe(&m, list);
    atn_tuner *t = atn_tune_tuner_new(&own, &budget, list, n, NATIVE, start, kind,
                                      wisdom > 0 ? (int64_t)(wisdom * 1e12) : -1);
    assert_non_null(t);
    const sim_outcome o = sim_play_tuner(&m, t, &budget, calls);
    atn_tune_tuner_free(t);
    return o;
}

sim_outcome sim_play(const sim_machine *m, atn_tune_mode mode, int64_t calls)
{
    return sim_play_from(m, settings_of(m, mode), calls, NATIVE, ATN_START_NATIVE, 0);
}

double sim_best_time(const sim_machine *m)
{
    double best = m->time[0];
    for (int i = 1; i < m->n; i++)
        best = fmin(best, m->time[i]);
    return best;
}

void sim_assert_budget(const sim_machine *m, const sim_outcome *o)
{
    const double elapsed = 1e-9 * (double)o->budget.elapsed_ns;
    const double earned = 1e-9 * ((double)o->budget.credit_ns + (double)o->budget.earned_ns) +
                          0.02 * (elapsed + fmin(elapsed, 5));
    const double spent = 1e-9 * (double)o->budget.spent_ns;
    if (spent > earned + o->worst + 2 * m->time[NATIVE])
        fail_msg("spent %g, earned %g, worst call %g", spent, earned, o->worst);
}

sim_machine sim_decent(uint64_t seed)
{
    return (sim_machine){
        .n = 10,
        .time = {10e-3, 5e-3, 5.4e-3, 6e-3, 8e-3, 12e-3, 20e-3, 9e-3, 40e-3, 5.1e-3},
        .model = {0, 4.6e-3, 5.9e-3, 5.5e-3, 9e-3, 10e-3, 25e-3, 8e-3, 37e-3, 5.6e-3},
        .group = {0, 1, 1, 2, 2, 3, 3, 4, 4, 1},
        .error = 0.3,
        .noise = 0.03,
        .delay = 1,
        .seed = seed,
    };
}
