/* source.c - from what a user names to the reader of its format. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topo/read.h"

atn_status atn_read_text(atn_reader *read, const char *text, const char *file, atn_topo **topo_p,
                         atn_error *err)
{
    atn_findings found = {.file = file};
    atn_draft d = {.found = &found};
    read(&d, text);
    atn_topo *t = atn_draft_finish(&d);
    const atn_status st = atn_findings_fail(&found, err);
    if (t)
        *topo_p = t;
    atn_draft_free(&d);
    atn_findings_free(&found);
    return st;
}

atn_status atn_topo_load(const char *name, atn_topo **topo_p, atn_error *err)
{
    char *text;
    const bool synthetic = strchr("0123456789", name[0]) != NULL || strncmp(name, "chain:", 6) == 0;
    if (access(name, F_OK) != 0 && synthetic)
        return atn_topo_parse_synthetic(name, topo_p, err);
    atn_status st = atn_read_file(name, &text, NULL, err);
    if (st)
        return st;
    st = atn_topo_parse_slurm(text, name, topo_p, err);
    free(text);
    return st;
}
