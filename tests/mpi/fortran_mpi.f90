#include "fortran_persistent.inc"
! Every blocking, nonblocking and persistent collective through the module mpi.
program fortran_mpi
  use mpi
#ifdef TEST_OPENMPI
  use mpi_ext
#endif
  implicit none
  integer :: comm, type, left_op, types(64), req(17)
  include 'fortran_calls.inc'
#include "fortran_requests.inc"

  subroutine left(in, inout, length, datatype)
    integer, intent(in) :: length, datatype
    integer, intent(in) :: in(length)
    integer, intent(inout) :: inout(length)
    if (datatype == MPI_INTEGER) inout = in
  end subroutine
end program
