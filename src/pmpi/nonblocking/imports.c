/* imports.c - see imports.h.
 *
 * The relocations of every loaded object name the functions that it imports. */
#include "pmpi/nonblocking/imports.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

/* ---- names ---- */

static const char *const collectives[] = {
    "barrier", "bcast",     "gather", "scatter", "allgather", "alltoall",
    "reduce",  "allreduce", "scan",   "exscan",  "neighbor_", "reduce_scatter",
};

/* MPI_Ibcast, MPI_Bcast_init, mpi_iallreduce_ and their variants; not MPI_Init, MPI_Irecv. */
static bool is_collective(const char *name, bool prefixed)
{
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (strncasecmp(name, collectives[i], strlen(collectives[i])) == 0)
            return prefixed || strstr(name, "_init") != NULL;
    return false;
}

static bool is_nonblocking(const char *name)
{
    const char *const rest = name + (*name == 'P' || *name == 'p');
    if (strncasecmp(rest, "mpi_", 4) != 0 && strncasecmp(rest, "mpix_", 5) != 0)
        return false;
    const char *const routine = strchr(rest, '_') + 1;
    return (*routine == 'I' || *routine == 'i') && is_collective(routine + 1, true)
               ? true
               : is_collective(routine, false);
}

/* ---- objects ---- */

typedef struct {
    const ElfW(Sym) * symbols;
    const char *names;
    const char *tables[2]; /* relocations of functions, and all others */
    size_t bytes[2];
    bool explicit_addends;
} object;

/* Some loaders relocate the addresses of the dynamic section, others do not. */
static const char *at(const struct dl_phdr_info *info, ElfW(Addr) address)
{
    return (const char *)(address < info->dlpi_addr ? address + info->dlpi_addr : address);
}

static object read_object(const struct dl_phdr_info *info, const ElfW(Dyn) * d)
{
    object o = {0};
    for (; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            o.symbols = (const void *)at(info, d->d_un.d_ptr);
        if (d->d_tag == DT_STRTAB)
            o.names = at(info, d->d_un.d_ptr);
        if (d->d_tag == DT_JMPREL)
            o.tables[0] = at(info, d->d_un.d_ptr);
        if (d->d_tag == DT_PLTRELSZ)
            o.bytes[0] = d->d_un.d_val;
        if (d->d_tag == DT_RELA)
            o.tables[1] = at(info, d->d_un.d_ptr);
        if (d->d_tag == DT_RELASZ)
            o.bytes[1] = d->d_un.d_val;
        o.explicit_addends = o.explicit_addends || d->d_tag == DT_RELA;
    }
    return o;
}

static const ElfW(Dyn) * dynamic_of(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return NULL;
}

#if __ELF_NATIVE_CLASS == 64
#define SYMBOL_OF ELF64_R_SYM
#else
#define SYMBOL_OF ELF32_R_SYM
#endif

static bool imports(const object *o)
{
    for (int t = 0; t < 2 && o->symbols != NULL && o->names != NULL && o->explicit_addends; t++) {
        const ElfW(Rela) *const r = (const void *)o->tables[t];
        for (size_t i = 0; r != NULL && i < o->bytes[t] / sizeof *r; i++) {
            const ElfW(Sym) *const s = &o->symbols[SYMBOL_OF(r[i].r_info)];
            if (SYMBOL_OF(r[i].r_info) != 0 && s->st_shndx == SHN_UNDEF &&
                is_nonblocking(o->names + s->st_name))
                return true;
        }
    }
    return false;
}

/* MPI libraries and tools import everything. */
static bool is_excluded(const char *path)
{
    static const char *const prefixes[] = {"libmpi", "libattune", "mca_", "libpmpi", "linux-vdso"};
    const char *const slash = strrchr(path, '/'), *const name = slash != NULL ? slash + 1 : path;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    const ElfW(Dyn) *const d = dynamic_of(info);
    if (d == NULL || is_excluded(info->dlpi_name))
        return 0;
    const object o = read_object(info, d);
    return imports(&o);
}

bool atn_nonblocking_imported(void) { return dl_iterate_phdr(visit, NULL) != 0; }
