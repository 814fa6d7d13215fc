/* gpu.h - whether MPI accepts GPU memory, which only MPI can copy. */
#ifndef ATN_INTERPOSE_GPU_H
#define ATN_INTERPOSE_GPU_H

#include <stdbool.h>

bool atn_interpose_mpi_takes_gpu_memory(void);

#endif
