"""Conjugate gradients of PETSc for the Poisson equation on a square, pipelined or not.

    mpirun -n 4 python3 pipecg.py [N [TIMES [METHOD]]]

N x N unknowns, TIMES solutions from zero, METHOD: pipecg (each iteration sums by MPI_Iallreduce while
it applies preconditioner and matrix) or another KSP of PETSc (cg, groppcg, pipecr ...).  Rank 0 prints
norm and sum of the solution, and on standard error iterations, residual, error and seconds.  Exit status 1:
the solution is wrong."""
import glob
import sys
import time

# Debian keeps it outside of Python's path, one folder for each version and kind of number.
sys.path += glob.glob("/usr/lib/petscdir/petsc*/*-real/lib/python3/dist-packages")
import petsc4py

petsc4py.init(sys.argv[:1])
from petsc4py import PETSc

n, times = (int(word) for word in (sys.argv[1:3] + ["128", "3"][len(sys.argv[1:3]):]))
method = sys.argv[3] if len(sys.argv) > 3 else "pipecg"

# The five-point stencil, the rows distributed over the ranks.
ranks, rank = PETSc.COMM_WORLD.getSize(), PETSc.COMM_WORLD.getRank()
first, end = n * n * rank // ranks, n * n * (rank + 1) // ranks
starts, columns, values = [0], [], []
for row in range(first, end):
    i, k = divmod(row, n)
    near = [(i - 1, k), (i, k - 1), (i, k), (i, k + 1), (i + 1, k)]
    inside = [(a, b) for a, b in near if 0 <= a < n and 0 <= b < n]
    columns += [a * n + b for a, b in inside]
    values += [4.0 if at == (i, k) else -1.0 for at in inside]
    starts.append(len(columns))
matrix = PETSc.Mat().createAIJ([(end - first, n * n), (end - first, n * n)], csr=(starts, columns, values))
matrix.assemble()

solution, right, found = matrix.createVecRight(), matrix.createVecLeft(), matrix.createVecRight()
solution.setArray([((7 * row) % 101) / 101 for row in range(first, end)])
matrix.mult(solution, right)

solver = PETSc.KSP().create()
solver.setOperators(matrix)
solver.setType(method)
solver.getPC().setType("jacobi")
solver.setTolerances(rtol=1e-10, max_it=20 * n)
began = time.perf_counter()
for _ in range(times):
    solver.solve(right, found)
seconds = time.perf_counter() - began

norm, total = found.norm(), found.sum()
right.aypx(-1, matrix * found)
found.axpy(-1, solution)
residual, error = right.norm(), found.norm()
right_result = solver.getConvergedReason() > 0 and error < 1e-6 * n
if rank == 0:
    print(f"method={method} unknowns={n * n} norm={norm:.9g} sum={total:.9g} right={int(right_result)}")
    print(f"iterations={solver.getIterationNumber()} residual={residual:.3e} error={error:.3e} seconds={seconds:.3f}",
          file=sys.stderr)
sys.exit(0 if right_result else 1)
