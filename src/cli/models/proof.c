/* proof.c - see proof.h. */
#include "cli/models/proof.h"

static void write_json(atn_json *j, const atn_tau_proof *proof, atn_tau_verdict v)
{
    atn_report_json_open(j, "steps", '[');
    for (int i = 0; i < proof->v.n; i++)
        atn_report_json_text(j, NULL, proof->v.v[i]);
    atn_report_json_close(j, ']');
    atn_report_json_text(j, "verdict", atn_tau_verdict_words[v]);
}

static void write_text(FILE *f, const atn_tau_proof *proof, atn_tau_verdict v)
{
    for (int i = 0; i < proof->v.n; i++)
        fprintf(f, "  %s\n", proof->v.v[i]);
    fprintf(f, "%s\n", atn_tau_verdicts[v]);
}

atn_status atn_cli_proof_write(const atn_proof_output *to, const atn_terms *x, const atn_terms *y,
                               atn_error *err)
{
    atn_tau_proof proof = {.style = to->style};
    const atn_tau_verdict v = atn_tau_terms_compare(x, y, to->slower, &proof);
    if (to->j)
        write_json(to->j, &proof, v);
    else
        write_text(to->text, &proof, v);
    atn_tau_proof_free(&proof);
    return proof.failed ? atn_fail(err, ATN_MEMORY, "out of memory") : ATN_OK;
}
