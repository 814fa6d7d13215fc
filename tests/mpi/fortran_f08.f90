#include "fortran_persistent.inc"
! Every blocking, nonblocking and persistent collective through the module mpi_f08.
program fortran_f08
  use mpi_f08
#ifdef TEST_OPENMPI
  use mpi_f08_ext
#endif
  implicit none
  type(MPI_Comm) :: comm
  type(MPI_Op) :: left_op
  type(MPI_Datatype) :: type, types(64)
  type(MPI_Request) :: req(17)
  include 'fortran_calls.inc'
#include "fortran_requests.inc"

  subroutine left(in, inout, length, datatype)
    use, intrinsic :: iso_c_binding, only : c_ptr, c_f_pointer
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: from(:), to(:)
    call c_f_pointer(in, from, [length])
    call c_f_pointer(inout, to, [length])
    if (datatype == MPI_INTEGER) to = from
  end subroutine
end program
