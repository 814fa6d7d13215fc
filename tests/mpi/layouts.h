/* layouts.h - the datatypes of the layouts of a family. */
#ifndef TEST_LAYOUTS_H
#define TEST_LAYOUTS_H

#include "buffers.h"

/* Elements of that layout in a unit. */
int t_elements(int family, int layout, bool plain);
/* The number of bytes of each long double in the family that hold its value, the rest being
 * padding; 0: no padding.  Layouts place them at multiples of its size. */
int t_value_bytes(int family);
/* A committed datatype; predefined when plain.  `capacity`: elements that the buffer may hold,
 * for layouts whose elements interleave. */
MPI_Datatype t_layout_make(int family, int layout, bool plain, int capacity);

#endif
