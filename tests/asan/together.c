/* together.c - runs test programs, built as modules, one after the other in this process: on some
 * machines a leak check takes seconds even for an empty program, so all share one.  Every module
 * has its own copy of the code that it tests. */
#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>

typedef int entry(int argc, char **argv);

static entry *entry_of(const char *path)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    entry *found = NULL;
    if (module)
        *(void **)&found = dlsym(module, "main");
    if (!found) {
        fprintf(stderr, "together: %s\n", dlerror());
        exit(4);
    }
    return found;
}

int main(int argc, char **argv)
{
    int bad = 0;
    setvbuf(stdout, NULL, _IOLBF, 0); /* a crash must not lose earlier output */
    for (int i = 1; i < argc; i++) {
        char *own[] = {argv[i], NULL};
        entry *run = entry_of(argv[i]);
        printf("# module %s\n", basename(argv[i]));
        bad |= run(1, own) != 0;
    }
    printf("# all modules have run\n");
    return bad;
}
