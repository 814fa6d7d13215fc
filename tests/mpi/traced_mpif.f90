! Newer calls through mpif.h, for the tracer.
program traced_mpif
  use, intrinsic :: iso_c_binding
  implicit none
  include 'mpif.h'
  integer :: ring, win, file, request
  abstract interface
    subroutine makes_bcast(buffer, count, type, root, comm, info, request, ierr)
      double precision :: buffer(*)
      integer :: count, type, root, comm, info, request, ierr
    end subroutine
  end interface
  interface
    type(c_funptr) function dlsym(handle, name) bind(c)
      import
      type(c_ptr), value :: handle
      character(kind=c_char) :: name(*)
    end function
  end interface
  include 'traced_fortran.inc'

  ! Persistent collectives need MPI 4; the program must link without them.
  subroutine persistent()
    procedure(makes_bcast), pointer :: bcast_init
    type(c_funptr) :: address
    integer :: i
    address = dlsym(c_null_ptr, 'mpi_bcast_init_' // c_null_char)
    if (.not. c_associated(address)) return
    call c_f_procpointer(address, bcast_init)
    in(1:n) = out(1:n)
    call bcast_init(in, n, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierr)
    do i = 1, 2
      call MPI_Start(request, ierr)
      call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    end do
    call MPI_Request_free(request, ierr)
    call expect('bcast_init', all(in(1:n) == of(ranks - 1)))
    if (rank == 0) print '(a)', 'has MPI 4'
  end subroutine
end program
