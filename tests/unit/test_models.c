/* test_models.c - models on schedules, compared with the formulas of the literature where these are
 * correct, and with manual calculations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "algo/algo.h"
#include "model/alpha_beta.h"
#include "model/expr.h"

#include "predict.h"

static void near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-6 * fabs(wanted) + 1e-15))
        fail_msg("%.9g, wanted %.9g", got, wanted);
}

/* ---- machines ---- */

static const int taus[] = {1, 2, 3, 4, 6, 7, 8, 16, 32, 64, 128};

/* Linear in the size, as the formulas assume, and between parallel and serial in tau. */
static double L0(double bytes, double tau) { return bytes * 1e-9 * pow(tau, 0.7); }
static double L1(double bytes, double tau) { return bytes * 1e-8 * pow(tau, 0.9); }
static const double o0 = 1e-6, o1 = 5e-6;

static atn_machine *taulop_machine(int64_t segment)
{
    atn_machine *m = atn_model_machine_new();
    atn_channel *memory = atn_model_machine_add_channel(m, "memory");
    atn_channel *network = atn_model_machine_add_channel(m, "network");
    memory->o_below = o0;
    memory->segment = segment;
    network->o_below = o1;
    for (int n = 0; n <= 8192; n += 8192)
        for (size_t i = 0; i < sizeof taus / sizeof *taus; i++) {
            atn_model_table_put(&memory->transfer, n, taus[i], L0(n, taus[i]));
            atn_model_table_put(&network->transfer, n, taus[i], L1(n, taus[i]));
        }
    return m;
}

static atn_machine *one_channel(void)
{
    atn_machine *m = atn_model_machine_new();
    atn_model_machine_add_channel(m, "only");
    return m;
}

/* ---- tau-Lop ---- */

static void taulop_in_memory(void **state)
{
    (void)state;
    atn_machine *m = taulop_machine(0);
    const double n = 4096;
    m->nchannels = 1;
    double wanted = 0;
    for (int i = 0; i < 7; i++) { /* (4.2); V3 */
        wanted += o0 + 2 * L0(n, 1 << i);
        near(predict("taulop", "bcast/binomial", "", 2 << i, 4096, m, NULL), wanted);
    }
    wanted -= 2 * L0(n, 64) - 2 * L0(n, 1); /* P = 65: one message in the seventh stage */
    near(predict("taulop", "bcast/binomial", "", 65, 4096, m, NULL), wanted);
    /* (4.8), (4.14) */
    near(predict("taulop", "allgather/recursive_doubling", "", 16, 4096, m, NULL),
         4 * o0 + 15 * 2 * L0(n, 16));
    near(predict("taulop", "allgather/ring", "", 16, 4096, m, NULL), 15 * (o0 + 2 * L0(n, 16)));
    /* (4.19), (4.21): the size is that of a block here, of the whole buffer there */
    near(predict("taulop", "scatter/binomial", "", 8, 4096, m, NULL),
         3 * o0 + 2 * L0(4 * n, 1) + 2 * L0(2 * n, 2) + 2 * L0(n, 4));
    /* (4.26) without its rounding of the first overhead */
    near(predict("taulop", "allgather/neighbor", "", 8, 4096, m, NULL), 4 * o0 + 7 * 2 * L0(n, 8));
    /* (4.41), the block is n */
    near(predict("taulop", "alltoall/pairwise", "", 8, 4096, m, NULL), 7 * (o0 + 2 * L0(n, 8)));
    /* (4.45); gamma is 1 ns for each byte */
    atn_model_table_put(atn_model_machine_gamma(m, "sum", "f64"), 1024, 1, 1e-9);
    near(predict("taulop", "reduce/binomial", "", 8, 4096, m, NULL),
         3 * o0 + 2 * (L0(n, 4) + L0(n, 2) + L0(n, 1)) + 3 * n * 1e-9);
    atn_model_machine_free(m);
}

static void taulop_in_cells(void **state)
{
    (void)state;
    atn_machine *m = taulop_machine(8192);
    const double S = 8192;
    const int64_t n = 8 * 8192;
    m->nchannels = 1;
    double wanted = 0;
    for (int i = 0; i < 4; i++) { /* (4.3) */
        wanted += o0 + 2 * L0(S, 1 << i) + 7 * L0(S, 2 << i);
        near(predict("taulop", "bcast/binomial", "", 2 << i, n, m, NULL), wanted);
    }
    /* (4.9), (4.15) */
    near(predict("taulop", "allgather/recursive_doubling", "", 8, n, m, NULL),
         3 * o0 + 7 * 2 * 8 * L0(S, 8));
    near(predict("taulop", "allgather/ring", "", 8, n, m, NULL), 7 * (o0 + 2 * 8 * L0(S, 8)));
    atn_model_machine_free(m);
}

static void taulop_on_clusters(void **state)
{
    (void)state;
    atn_machine *m = taulop_machine(0);
    const double n = 4096;
    atn_topo *seq16 = cluster(4, 4, false), *rr16 = cluster(4, 4, true);
    atn_topo *seq32 = cluster(4, 8, false), *rr32 = cluster(4, 8, true);
    /* (5.17), V4 */
    static const char rda[] = "allgather/recursive_doubling";
    near(predict("taulop", rda, "", 16, 4096, m, seq16),
         2 * o0 + 2 * o1 + 30 * L0(n, 4) + 12 * L1(n, 4));
    near(predict("taulop", rda, "", 32, 4096, m, seq32),
         3 * o0 + 2 * o1 + 62 * L0(n, 8) + 24 * L1(n, 8));
    near(predict("taulop", rda, "", 16, 4096, m, rr16),
         2 * o0 + 2 * o1 + 30 * L0(n, 4) + 3 * L1(n, 4));
    near(predict("taulop", rda, "", 32, 4096, m, rr32),
         3 * o0 + 2 * o1 + 62 * L0(n, 8) + 3 * L1(n, 8));
    /* (5.7), V5; with cyclic mapping the tree first crosses the network where ranks differ in high
     * bits: our binomial tree sends to the most distant rank first, so hosts differ last */
    near(predict("taulop", "bcast/binomial", "", 16, 4096, m, seq16),
         2 * o0 + 2 * o1 + 6 * L0(n, 1) + 2 * L0(n, 2) + 2 * L1(n, 1));
    near(predict("taulop", "bcast/binomial", "", 16, 4096, m, rr16),
         2 * o0 + 2 * o1 + 2 * L0(n, 1) + 2 * L0(n, 2) + 4 * L0(n, 4) + 2 * L1(n, 4));
    /* (5.11), (6.10), V6 */
    near(predict("taulop", "allgather/ring", "", 32, 4096, m, seq32),
         31 * (o1 + L0(n, 8) + L1(n, 1) + L0(n, 1)));
    near(predict("taulop", "allgather/ring", "", 32, 4096, m, rr32),
         31 * (o1 + 2 * L0(n, 8) + L1(n, 8)));
    atn_topo_free(seq16);
    atn_topo_free(rr16);
    atn_topo_free(seq32);
    atn_topo_free(rr32);
    atn_model_machine_free(m);
}

/* ---- LogGP: the golden values of table 7.2, in microseconds ---- */

static const atn_loggp lusitania = {0.5e-6, 0.35e-6, 0.12e-6, 0.989e-9};
static const atn_loggp metropolis[] = {{1.683e-6, 0.1095e-6, 1.649e-6, 0.1923e-9},
                                       {32.986e-6, 2.8775e-6, 4.841e-6, 9.2e-9}};

static void loggp_published_values(void **state)
{
    (void)state;
    atn_machine *m = one_channel();
    m->channel[0].loggp = lusitania;
    near(predict("loggp", "bcast/binomial", "", 2, 8192, m, NULL), 9.300899e-6);
    near(predict("loggp", "bcast/binomial", "", 2, 65536, m, NULL), 66.014115e-6);
    near(predict("loggp", "bcast/binomial", "", 2, 1048576, m, NULL), 1038.240675e-6);
    /* (2.2), eight segments */
    near(predict("loggp", "bcast/chain", "segment=8K", 2, 65536, m, NULL), 66.847192e-6);
    near(predict("loggp", "bcast/binomial", "", 128, 1048576, m, NULL), 7267.684725e-6);
    /* (4.16) with one segment and no copy */
    near(predict("loggp", "allgather/ring", "", 16, 8192, m, NULL), 15 * 9.300899e-6);
    atn_model_machine_free(m);
}

/* ---- LogGP and log_nP: formulas of collectives as printed ---- */

/* P ranks of one node; m is a block, or the whole buffer of `parts` blocks, in one segment (S = m,
 * k = 1).  o of log_nP is that of m bytes.  The models have no time for copies inside ranks (delta,
 * o_m).  With more segments, the printed LogGP formulas of stages that double their messages count
 * k - 1 gaps for k segments of a block, and not 2^i k - 1 for those of stage i. */
static const struct {
    const char *number, *model, *name, *params;
    int p, parts;
    const char *printed;
} printed[] = {
    {"(2.1)", "loggp", "bcast/binomial", "", 2, 1, "2*o + L + (m-1)*G"},
    {"(2.3), (4.5)", "loggp", "bcast/binomial", "", 128, 1, "ceil(log2(P))*(2*o + L + (m-1)*G)"},
    {"(2.4), (2.5)", "lognp", "bcast/binomial", "", 2, 1, "2*o"},
    {"(2.6), (4.6)", "lognp", "bcast/binomial", "", 128, 1, "ceil(log2(P))*(2*o)"},
    {"(4.10)", "loggp", "allgather/recursive_doubling", "", 16, 1,
     "log2(P)*(L + 2*o - G) + (P-1)*m*G"},
    {"(4.12)", "lognp", "allgather/recursive_doubling", "", 16, 1, "(P-1)*2*o"},
    {"(4.16)", "loggp", "allgather/ring", "", 16, 1, "(P-1)*(L + 2*o + (S-1)*G)"},
    {"(4.17)", "lognp", "allgather/ring", "", 16, 1, "(P-1)*2*o"},
    {"(4.24)", "lognp", "scatter/binomial", "", 8, 8, "((P-1)/P)*2*o"},
    {"(4.29)", "lognp", "allgather/neighbor", "", 8, 1, "(P-1)*2*o"},
    {"(4.34), (4.39)", "lognp", "allgather/bruck", "", 8, 1, "(P-1)*2*o"},
    {"(4.43)", "loggp", "alltoall/pairwise", "window=1", 8, 8, "(P-1)*(L + 2*o + (m/P-1)*G)"},
    {"(4.44)", "lognp", "alltoall/pairwise", "window=1", 8, 8, "(P-1)*2*o/P"},
    {"(4.46)", "lognp", "reduce/binomial", "", 8, 1, "log2(P)*(2*o + gamma*m)"},
    {"(4.47)", "loggp", "reduce/binomial", "", 8, 1, "log2(P)*(L + 2*o + (m-1)*G + gamma*m)"},
};

static void printed_formulas(void **state)
{
    (void)state;
    enum { BLOCK = 8192 };
    atn_machine *m = one_channel();
    const double per_byte = 1e-9;
    m->channel[0].loggp = lusitania;
    atn_model_table_put(&m->channel[0].lognp.o, BLOCK, 1, 3e-6);
    atn_model_table_put(atn_model_machine_gamma(m, "sum", "f64"), 1024, 1, per_byte);
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        const double whole = printed[i].parts * (double)BLOCK;
        const bool hardware = strcmp(printed[i].model, "loggp") == 0;
        const atn_variable vars[] = {{"P", printed[i].p},
                                     {"m", whole},
                                     {"S", whole},
                                     {"L", lusitania.latency},
                                     {"o", hardware ? lusitania.o : 3e-6 * printed[i].parts},
                                     {"G", lusitania.gap_byte},
                                     {"gamma", per_byte}};
        atn_topo *host = cluster(1, printed[i].p, false);
        double wanted = 0;
        atn_error err = {0};
        if (atn_model_expr_eval(printed[i].printed, vars, 7, &wanted, &err) != ATN_OK)
            fail_msg("%s: %s", printed[i].number, err.text);
        const double got = predict(printed[i].model, printed[i].name, printed[i].params,
                                   printed[i].p, BLOCK, m, host);
        if (fabs(got - wanted) > 1e-9 * wanted)
            fail_msg("%s is %.9g, the schedule takes %.9g", printed[i].number, wanted, got);
        atn_topo_free(host);
    }
    atn_model_machine_free(m);
}

static void loggph_published_values(void **state)
{
    (void)state;
    atn_machine *m = atn_model_machine_new();
    atn_model_machine_add_channel(m, "memory")->loggp = metropolis[0];
    atn_model_machine_add_channel(m, "network")->loggp = metropolis[1];
    atn_topo *t = cluster(4, 8, false), *rr = cluster(4, 8, true);
    /* (5.8), (6.6), (6.7): a stage is a send and a receive, on both channels or on the network */
    near(predict("loggph", "allgather/ring", "", 32, 65536, m, t), 20341.189e-6);
    near(predict("loggph", "allgather/ring", "", 32, 65536, m, rr), 39783.106e-6);
    /* (2.2) on the network */
    near(predict("loggph", "bcast/chain", "segment=8K", 2, 65536, m, NULL),
         114.0982e-6 + 7 * (4.841e-6 + 8191 * 9.2e-9));
    near(predict("loggph", "bcast/binomial", "", 32, 1048576, m, t), 19981.891e-6); /* (5.4) */
    near(predict("loggph", "allgather/recursive_doubling", "", 32, 65536, m, t),
         (93.923 + 14547.812) * 1e-6); /* (5.13), (5.14) */
    /* LogGP has only one channel. */
    near(predict("loggp", "bcast/binomial", "", 32, 1048576, m, t), 5 * 9685.631e-6);
    atn_topo_free(t);
    atn_topo_free(rr);
    atn_model_machine_free(m);
}

/* ---- pLogP: broadcast and scatter of Barchet-Estefanel and Mounie ---- */

static double gap(double bytes) { return 20e-6 + bytes * 84e-9; }
static const double latency = 50e-6;

static atn_machine *plogp_machine(int64_t eager)
{
    atn_machine *m = one_channel();
    atn_channel *c = &m->channel[0];
    c->eager = eager;
    c->plogp.latency = latency;
    atn_model_table_put(&c->plogp.gap, 0, 1, gap(0));
    atn_model_table_put(&c->plogp.gap, 1048576, 1, gap(1048576));
    return m;
}

static void plogp_formulas(void **state)
{
    (void)state;
    atn_machine *m = plogp_machine(0);
    const int64_t n = 65536;
    const double L = latency, g = gap((double)n), gs = gap(4096);
    near(predict("plogp", "bcast/linear", "", 9, n, m, NULL), 8 * g + L);
    near(predict("plogp", "bcast/chain", "", 9, n, m, NULL), 8 * (g + L));
    near(predict("plogp", "bcast/chain", "segment=4K", 9, n, m, NULL), 8 * (gs + L) + gs * 15);
    near(predict("plogp", "bcast/binomial", "", 16, n, m, NULL), 4 * g + 4 * L);
    /* floor(log P) g + ceil(log P) L omits messages if P is not a power of two: the root of nine
     * ranks sends four. */
    assert_true(predict("plogp", "bcast/binomial", "", 9, n, m, NULL) > 3 * g + 4 * L);
    near(predict("plogp", "scatter/linear", "", 9, n, m, NULL), 8 * g + L);
    near(predict("plogp", "scatter/binomial", "", 16, 4096, m, NULL),
         gap(4096) + gap(2 * 4096) + gap(4 * 4096) + gap(8 * 4096) + 4 * L);
    /* sum of g(j m) + (P - 1) L; single blocks overlap instead: (P - 1)(g(m) + L) */
    near(predict("plogp", "scatter/chain_bundle", "", 5, 4096, m, NULL),
         gap(4096) + gap(2 * 4096) + gap(3 * 4096) + gap(4 * 4096) + 4 * L);
    near(predict("plogp", "scatter/chain", "", 5, 4096, m, NULL), 4 * (gap(4096) + L));
    atn_model_machine_free(m);
    m = plogp_machine(1024); /* handshake: 2 g(1) + 2 L more for each message that waits for one */
    const double handshake = 2 * gap(1) + 3 * L;
    /* the handshakes of the root overlap */
    near(predict("plogp", "bcast/linear", "", 9, n, m, NULL), 8 * g + handshake);
    near(predict("plogp", "scatter/linear", "", 9, n, m, NULL), 8 * g + handshake);
    near(predict("plogp", "bcast/chain", "", 9, n, m, NULL), 8 * (g + handshake));
    near(predict("plogp", "bcast/binomial", "", 16, n, m, NULL), 4 * g + 4 * handshake);
    atn_model_machine_free(m);
}

/* ---- other models ---- */

static void transfers_and_processors(void **state)
{
    (void)state;
    atn_machine *m = taulop_machine(0);
    atn_topo *t = cluster(4, 4, false);
    for (int i = 0; i < 2; i++) {
        atn_channel *c = &m->channel[i];
        atn_model_table_put(&c->lognp.o, 1024, 1, 1e-6 * (i + 1));
        atn_model_table_put(&c->lognp.mw, 1024, 1, 4e-6);
        if (i == 1)
            atn_model_table_put(&c->lognp.net, 1024, 1, 10e-6);
        c->lmo = (atn_lmo){.fixed = 1e-6 * (i + 1), .byte = 1e-9, .rate = 1e9};
        c->hockney = (atn_hockney){.alpha = 1e-6 * (i + 1), .beta = 1e-9};
    }
    /* (2.6): log P n o, of the network with its three transfers; (5.5) */
    near(predict("lognp", "bcast/binomial", "", 16, 1024, m, t), 4 * 3 * 2e-6);
    near(predict("mlognp", "bcast/binomial", "", 16, 1024, m, t), 2 * (4e-6 + 10e-6) + 2 * 4e-6);
    /* (4.6): log P (2 o) in memory.  It is the same for 65 and 128 ranks; the schedule of 65 takes
     * less, because its longest paths have six messages. */
    atn_topo *host = cluster(1, 128, false), *most = cluster(1, 65, false);
    near(predict("lognp", "bcast/binomial", "", 128, 1024, m, host), 7 * 2 * 1e-6);
    near(predict("lognp", "bcast/binomial", "", 65, 1024, m, most), 13 * 1e-6);
    atn_topo_free(host);
    atn_topo_free(most);
    /* (5.15): (Q - 1) o_mw + (M - 1) Q (o'_mw + o'_net) */
    near(predict("mlognp", "allgather/recursive_doubling", "", 16, 1024, m, t),
         3 * 4e-6 + 3 * 4 * 14e-6);
    /* C + m t at both ends, m / rate between; a second message starts when the sender is free */
    near(predict("lmo", "bcast/linear", "", 2, 1024, m, NULL), 2 * (2e-6 + 1.024e-6) + 1.024e-6);
    near(predict("lmo", "bcast/linear", "", 4, 1024, m, NULL), 4 * (2e-6 + 1.024e-6) + 1.024e-6);
    near(predict("alpha-beta", "bcast/binomial", "", 16, 1024, m, t), 6e-6 + 4 * 1.024e-6);
    atn_topo_free(t);
    atn_model_machine_free(m);
}

/* (5.9), (6.8), (6.9): with o_mw = 70, o'_mw = 80 and o'_net = 610 microseconds a stage of the ring
 * costs 760 with block mapping and 1380 with cyclic mapping, for any number of ranks per host. */
static void mlognp_rings(void **state)
{
    (void)state;
    atn_machine *m = atn_model_machine_new();
    atn_topo *seq = cluster(4, 8, false), *rr = cluster(4, 8, true);
    atn_lognp *memory = &atn_model_machine_add_channel(m, "memory")->lognp;
    atn_model_table_put(&memory->mw, 65536, 1, 70e-6);
    atn_lognp *network = &atn_model_machine_add_channel(m, "network")->lognp;
    atn_model_table_put(&network->mw, 65536, 1, 80e-6);
    atn_model_table_put(&network->net, 65536, 1, 610e-6);
    atn_topo *pair = cluster(1, 2, false), *apart = cluster(2, 1, false);
    near(predict("mlognp", "bcast/binomial", "", 2, 65536, m, pair), 70e-6);   /* (5.2) */
    near(predict("mlognp", "bcast/binomial", "", 2, 65536, m, apart), 690e-6); /* (5.3), (5.1) */
    near(predict("mlognp", "allgather/ring", "", 32, 65536, m, seq), 23560e-6);
    near(predict("mlognp", "allgather/ring", "", 32, 65536, m, rr), 42780e-6);
    atn_topo_free(pair);
    atn_topo_free(apart);
    atn_topo_free(seq);
    atn_topo_free(rr);
    atn_model_machine_free(m);
}

/* ---- links ---- */

/* Two switches of two hosts; 10 MB/s of payload on every link. */
static const double rate = 1e7;

static atn_machine *links_machine(void)
{
    atn_machine *m = atn_model_machine_new();
    m->framing = 0.8;
    atn_model_machine_add_channel(m, "memory")->hockney = (atn_hockney){1e-6, 1e-9};
    for (int i = 0; i < 2; i++) {
        atn_channel *c = atn_model_machine_add_channel(m, i == 0 ? "switch" : "core");
        c->hockney = (atn_hockney){100e-6, 1e-7};
        c->rate = rate;
        c->o_below = 100e-6;
        c->cpu_message = 20e-6;
    }
    return m;
}

static void links_are_shared(void **state)
{
    (void)state;
    atn_topo *t = NULL;
    atn_machine *m = links_machine();
    const double flow = 1e6 / rate, empty = 100e-6;
    assert_int_equal(atn_topo_parse_synthetic("2x2@100M", &t, NULL), ATN_OK);
    /* one message */
    near(predict("links", "bcast/linear", "", 2, 1000000, m, NULL), empty + flow);
    /* The link of the root carries three concurrent flows; processor times overlap with them except
     * for the first and the last. */
    near(predict("links", "bcast/linear", "", 4, 1000000, m, t), empty + 3 * flow);
    /* Every rank receives three blocks, the trunks carry four per direction. */
    const double alltoall = predict("links", "alltoall/linear", "", 4, 1000000, m, t);
    assert_true(alltoall >= 4 * flow && alltoall < 4.01 * flow);
    /* A topology-aware ring loads no link twice: three steps. */
    near(predict("links", "allgather/ring", "", 4, 1000000, m, t), 3 * (empty + flow));
    atn_topo_free(t);
    assert_int_equal(atn_topo_parse_synthetic("2x2@100M;order=roundrobin", &t, NULL), ATN_OK);
    /* With cyclic mapping each trunk carries two messages per step. */
    near(predict("links", "allgather/ring", "", 4, 1000000, m, t), 3 * (empty + 2 * flow));
    near(predict("taulop-links", "allgather/ring", "", 4, 1000000, m, t),
         3 * (100e-6 + 1e6 * 1e-9 + 2 * 1e6 / rate)); /* half the cost of a byte in each memory */
    atn_topo_free(t);
    atn_model_machine_free(m);
}

static void large_messages_need_a_handshake(void **state)
{
    (void)state;
    atn_topo *t = NULL;
    atn_machine *m = links_machine();
    const double flow = 1e6 / rate, empty = 100e-6, handshake = 300e-6;
    assert_int_equal(atn_topo_parse_synthetic("4@100M", &t, NULL), ATN_OK);
    m->channel[1].eager = 65536;
    m->channel[1].o_from = empty + handshake;
    near(predict("links", "bcast/linear", "", 2, 1000000, m, t), empty + handshake + flow);
    near(predict("links", "bcast/linear", "", 2, 1000, m, t), empty + 1000 / rate);
    near(predict("links", "allgather/ring", "", 4, 1000000, m, t), 3 * (empty + handshake + flow));
    m->channel[1].duplex = 0.5; /* both directions of every link are busy in a ring */
    near(predict("links", "allgather/ring", "", 4, 1000000, m, t),
         3 * (empty + handshake + flow / 0.75));
    near(predict("links", "allgather/ring", "", 4, 1000, m, t), 3 * (empty + 1000 / rate * 1.2));
    /* largest effect: a pair that exchanges messages */
    near(predict("links", "allgather/ring", "", 2, 1000000, m, t), empty + handshake + 2 * flow);
    near(predict("links", "bcast/chain", "", 4, 1000000, m, t), 3 * (empty + handshake + flow));
    atn_topo_free(t);
    atn_model_machine_free(m);
}

/* Two segments, from rank to rank.  Eager ones share the link, so both arrive late; the first one
 * is forwarded before the second one is received.  Large ones wait for the one before to arrive,
 * and receiving them is no work. */
static void simulated_messages_do_not_follow_each_other(void **state)
{
    (void)state;
    atn_machine *m = links_machine();
    const double us = 1e-6;
    m->channel[1].hockney.beta = 1 / rate;
    const double real = predict("links", "bcast/chain", "segment=10000", 3, 20000, m, NULL);
    assert_true(real < 3300 * us);
    m->simulated = 1;
    const double eager = predict("links", "bcast/chain", "segment=10000", 3, 20000, m, NULL);
    assert_true(fabs(eager - 4180 * us) < 5 * us);
    m->channel[1].eager = 8000;
    m->channel[1].o_from = 110e-6;
    const double large = predict("links", "bcast/chain", "segment=10000", 2, 40000, m, NULL);
    assert_true(fabs(large - 4 * (20 + 10 + 1000 + 60) * us) < 5 * us);
    atn_model_machine_free(m);
}

static void processors_are_shared(void **state)
{
    (void)state;
    atn_topo *t = NULL;
    atn_machine *m = links_machine();
    assert_int_equal(atn_topo_parse_synthetic("8@100M", &t, NULL), ATN_OK);
    /* Eight ranks send and receive concurrently: four times the work on two processors. */
    const double alone = predict("links", "allgather/recursive_doubling", "", 8, 1, m, t);
    m->processors = 2;
    const double shared = predict("links", "allgather/recursive_doubling", "", 8, 1, m, t);
    near(alone, 3 * 100e-6 + 7 / rate);
    near(shared, alone + 3 * 2 * 3 * 20e-6);
    /* Processor time per byte: 0.2 us for both ends together, eight flows. */
    m->channel[1].cpu_byte = 100e-9;
    const double bytes = predict("links", "allgather/ring", "", 8, 1000000, m, t);
    assert_true(bytes > 7 * 8 * 1e6 * 200e-9 / 2);
    assert_true(bytes < 7 * (8 * 1e6 * 200e-9 / 2 + 500e-6));
    atn_topo_free(t);
    atn_model_machine_free(m);
}

/* Where ranks share processors and move data, a zero-byte message waits for a time slice of all
 * ranks; without data it does not. */
static void tokens_wait_for_all_ranks(void **state)
{
    (void)state;
    atn_topo *t = NULL;
    atn_machine *m = links_machine();
    assert_int_equal(atn_topo_parse_synthetic("8@100M", &t, NULL), ATN_OK);
    const double apart = predict("links", "allgather/ring", "sync=pair", 8, 100000, m, t);
    const double barrier = predict("links", "barrier/dissemination", "", 8, 0, m, t);
    m->processors = 2;
    const double shared = predict("links", "allgather/ring", "sync=pair", 8, 100000, m, t);
    const double turn = 8 * 2 * 20e-6 / 2, work = 3 * 2 * 20e-6; /* of three other ranks */
    near(shared, apart + 13 * work + 6 * turn); /* seven messages, six tokens between */
    assert_true(predict("links", "barrier/dissemination", "", 8, 0, m, t) < barrier + 3 * 2 * work);
    atn_topo_free(t);
    atn_model_machine_free(m);
}

/* ---- all models ---- */

/* Every model evaluates every algorithm, also with several ranks per host. */
static void every_model_evaluates_every_schedule(void **state)
{
    (void)state;
    atn_machine *m = atn_model_machine_builtin();
    atn_topo *t = cluster(4, 2, true);
    for (int i = 0; i < atn_algo_catalog_rows(); i++) {
        const atn_row *row = atn_algo_catalog_row(i);
        atn_params prm;
        atn_algo_params_default(row, &prm);
        const atn_problem q = {.op = row->op, .p = 8, .bytes = 4096, .segments = 1, .topo = t};
        if (row->algo->build == NULL || atn_algo_refuses(row, &q, &prm))
            continue;
        for (int k = 0; k < atn_models(); k++) {
            const double time = predict(atn_model_at(k)->name, row->name, "", 8, 4096, m, t);
            if (!(time > 0 && time < 1))
                fail_msg("%s: %s: %g", row->name, atn_model_at(k)->name, time);
        }
    }
    atn_topo_free(t);
    atn_model_machine_free(m);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Not a test: evaluations per second including the graph, 64 ranks. */
static void speed(void **state)
{
    (void)state;
    atn_machine *m = atn_model_machine_builtin();
    atn_topo *t = cluster(16, 4, false);
    all a = build("allreduce/recursive_doubling", "", 64, 65536, t);
    for (int k = 0; k < atn_models(); k++) {
        const double start = now();
        int n = 0;
        double time;
        for (; n < 50; n++)
            assert_int_equal(model_time(atn_model_at(k), a.s, 64, 65536 + n, m, t, &time, NULL),
                             ATN_OK);
        printf("# %s: %.0f evaluations per second\n", atn_model_at(k)->name, n / (now() - start));
    }
    drop(&a);
    atn_topo_free(t);
    atn_model_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taulop_in_memory),
        cmocka_unit_test(taulop_in_cells),
        cmocka_unit_test(taulop_on_clusters),
        cmocka_unit_test(loggp_published_values),
        cmocka_unit_test(printed_formulas),
        cmocka_unit_test(loggph_published_values),
        cmocka_unit_test(mlognp_rings),
        cmocka_unit_test(plogp_formulas),
        cmocka_unit_test(transfers_and_processors),
        cmocka_unit_test(links_are_shared),
        cmocka_unit_test(large_messages_need_a_handshake),
        cmocka_unit_test(simulated_messages_do_not_follow_each_other),
        cmocka_unit_test(processors_are_shared),
        cmocka_unit_test(tokens_wait_for_all_ranks),
        cmocka_unit_test(every_model_evaluates_every_schedule),
        cmocka_unit_test(speed),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
