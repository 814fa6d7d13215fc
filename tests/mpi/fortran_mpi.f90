! Every blocking collective through the module mpi.
program fortran_mpi
  use mpi
  implicit none
  integer :: comm, type, left_op, types(64)
  include 'fortran_calls.inc'

  subroutine left(in, inout, length, datatype)
    integer, intent(in) :: length, datatype
    integer, intent(in) :: in(length)
    integer, intent(inout) :: inout(length)
    if (datatype == MPI_INTEGER) inout = in
  end subroutine
end program
