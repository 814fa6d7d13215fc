/* gpu.c - see gpu.h. */
#include "interpose/gpu.h"

#include <dlfcn.h>
#include <stddef.h>

bool atn_interpose_mpi_takes_gpu_memory(void)
{
    static const char *const names[] = {"MPIX_Query_cuda_support", "MPIX_Query_rocm_support",
                                        "MPIX_Query_hip_support", "MPIX_Query_ze_support"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int (*query)(void);
        *(void **)&query = dlsym(RTLD_DEFAULT, names[i]);
        if (query != NULL && query() != 0)
            return true;
    }
    return false;
}
