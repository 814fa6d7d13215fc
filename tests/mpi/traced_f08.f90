! Newer calls through the module mpi_f08, for the tracer.
program traced_f08
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  type(MPI_Comm) :: ring
  type(MPI_Win) :: win
  type(MPI_File) :: file
  type(MPI_Request) :: request
  include 'traced_fortran.inc'

  subroutine persistent()
  end subroutine
end program
