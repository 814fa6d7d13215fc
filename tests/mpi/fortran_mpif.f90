! Every blocking collective through mpif.h.
program fortran_mpif
  implicit none
  include 'mpif.h'
  integer :: comm, type, left_op, types(64)
  include 'fortran_calls.inc'

  subroutine left(in, inout, length, datatype)
    integer, intent(in) :: length, datatype
    integer, intent(in) :: in(length)
    integer, intent(inout) :: inout(length)
    if (datatype == MPI_INTEGER) inout = in
  end subroutine
end program
