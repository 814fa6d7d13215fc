/* elf.c - reads an ELF file; every offset is checked, because the file may be invalid. */
#include "cli/launch/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef ElfW(Ehdr) header;
typedef ElfW(Phdr) segment;
typedef ElfW(Shdr) section;
typedef ElfW(Dyn) entry;
typedef ElfW(Sym) symbol;

static const void *inside(const atn_object *o, uint64_t offset, uint64_t bytes)
{
    return offset <= o->size && bytes <= o->size - offset ? o->map + offset : NULL;
}

/* A header or table entry; aligned in valid files. */
static const void *record(const atn_object *o, uint64_t offset, uint64_t bytes)
{
    return offset % sizeof(ElfW(Addr)) == 0 ? inside(o, offset, bytes) : NULL;
}

/* A string that ends within the file. */
static const char *string_at(const atn_object *o, uint64_t offset)
{
    return offset < o->size && memchr(o->map + offset, '\0', o->size - offset) != NULL
               ? o->map + offset
               : NULL;
}

static const segment *segment_at(const atn_object *o, int i)
{
    const header *h = record(o, 0, sizeof *h);
    if (i >= h->e_phnum || h->e_phentsize != sizeof(segment))
        return NULL;
    return record(o, h->e_phoff + (uint64_t)i * sizeof(segment), sizeof(segment));
}

/* File offset of a virtual address. */
static uint64_t file_offset(const atn_object *o, uint64_t address)
{
    const segment *s;
    for (int i = 0; (s = segment_at(o, i)) != NULL; i++)
        if (s->p_type == PT_LOAD && s->p_vaddr <= address && address - s->p_vaddr < s->p_filesz)
            return s->p_offset + (address - s->p_vaddr);
    return UINT64_MAX;
}

static const entry *entry_at(const atn_object *o, const segment *dynamic, uint64_t i)
{
    if ((i + 1) * sizeof(entry) > dynamic->p_filesz)
        return NULL;
    const entry *e = record(o, dynamic->p_offset + i * sizeof *e, sizeof *e);
    return e != NULL && e->d_tag != DT_NULL ? e : NULL;
}

/* Dependencies and search paths. */
static void read_dynamic(atn_object *o, const segment *dynamic)
{
    const entry *e;
    uint64_t strings = UINT64_MAX;
    for (uint64_t i = 0; (e = entry_at(o, dynamic, i)) != NULL; i++)
        if (e->d_tag == DT_STRTAB)
            strings = file_offset(o, e->d_un.d_ptr);
    for (uint64_t i = 0; (e = entry_at(o, dynamic, i)) != NULL; i++) {
        const char *text = strings < o->size ? string_at(o, strings + e->d_un.d_val) : NULL;
        if (text == NULL)
            continue;
        if (e->d_tag == DT_NEEDED && !atn_push(&o->needed, text))
            return;
        if (e->d_tag == DT_RPATH)
            o->rpath = text;
        if (e->d_tag == DT_RUNPATH)
            o->runpath = text;
    }
}

static void read_segments(atn_object *o)
{
    const segment *s;
    for (int i = 0; (s = segment_at(o, i)) != NULL; i++) {
        if (s->p_type == PT_INTERP)
            o->dynamic = true;
        if (s->p_type == PT_DYNAMIC)
            read_dynamic(o, s);
    }
}

static const section *section_at(const atn_object *o, const header *h, unsigned i)
{
    return i < h->e_shnum ? record(o, h->e_shoff + (uint64_t)i * sizeof(section), sizeof(section))
                          : NULL;
}

static bool defines(const atn_object *o, const section *table, const section *strings,
                    const char *name)
{
    const symbol *s;
    for (uint64_t i = 0; i < table->sh_size / sizeof *s; i++) {
        if ((s = record(o, table->sh_offset + i * sizeof *s, sizeof *s)) == NULL)
            return false;
        const char *text =
            s->st_shndx != SHN_UNDEF ? string_at(o, strings->sh_offset + s->st_name) : NULL;
        if (text != NULL && strcmp(text, name) == 0)
            return true;
    }
    return false;
}

/* A profiler in the program defines MPI_Init; only an MPI library defines PMPI_Init. */
static bool holds_mpi(const atn_object *o)
{
    const header *h = record(o, 0, sizeof *h);
    const section *table, *strings;
    if (h->e_shentsize != sizeof(section))
        return false;
    for (unsigned i = 0; (table = section_at(o, h, i)) != NULL; i++)
        if ((table->sh_type == SHT_SYMTAB || table->sh_type == SHT_DYNSYM) &&
            (strings = section_at(o, h, table->sh_link)) != NULL &&
            defines(o, table, strings, "PMPI_Init"))
            return true;
    return false;
}

/* Properties of this process, which a library of this build requires. */
static bool same_machine(const header *h)
{
    static header self;
    if (self.e_ident[0] == 0) {
        const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        if (fd < 0 || read(fd, &self, sizeof self) != (ssize_t)sizeof self)
            memcpy(&self, h, sizeof self);
        if (fd >= 0)
            close(fd);
    }
    return h->e_ident[EI_CLASS] == self.e_ident[EI_CLASS] &&
           h->e_ident[EI_DATA] == self.e_ident[EI_DATA] && h->e_machine == self.e_machine;
}

static bool map_file(const char *path, atn_object *o)
{
    struct stat about;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool good = fstat(fd, &about) == 0;
    if (good && S_ISREG(about.st_mode) && about.st_size > 0) {
        o->map = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        good = o->map != MAP_FAILED;
        o->map = good ? o->map : NULL;
        o->size = good ? (size_t)about.st_size : 0;
    }
    const int why = errno;
    close(fd);
    errno = why;
    return good;
}

bool atn_cli_object_open(const char *path, atn_object *o)
{
    *o = (atn_object){0};
    if (!map_file(path, o))
        return false;
    const header *h = record(o, 0, sizeof *h);
    o->elf = o->size > SELFMAG && memcmp(o->map, ELFMAG, SELFMAG) == 0;
    o->foreign = o->elf && (h == NULL || !same_machine(h));
    if (o->elf && !o->foreign) {
        read_segments(o);
        o->mpi_inside = holds_mpi(o);
    }
    return true;
}

void atn_cli_object_close(atn_object *o)
{
    if (o->map != NULL)
        munmap(o->map, o->size);
    atn_vec_free(&o->needed);
    *o = (atn_object){0};
}
