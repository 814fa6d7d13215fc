"""Collectives of mpi4py, of buffers and of pickled objects: prints one line per call, which must not
depend on the algorithm."""
import hashlib
import pickle
import sys
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.Get_rank(), world.Get_size()


def report(comm, name, value):
    """One line per call from the whole communicator: results of all ranks, hashed."""
    text = pickle.dumps(value, protocol=4)
    mine = hashlib.sha1(text).hexdigest()
    hashes = comm.gather(mine, root=0)
    if comm.Get_rank() == 0 and rank == 0:
        print(name, hashlib.sha1("".join(hashes).encode()).hexdigest())


def objects(comm):
    """The lower-case calls send pickles, whose sizes differ from rank to rank."""
    r, p = comm.Get_rank(), comm.Get_size()
    thing = {"rank": r, "list": list(range(r * 50)), "text": "x" * (r * r * 10), "pair": (r, 1 / (r + 1))}
    for root in range(p):
        report(comm, f"bcast {root}", comm.bcast(thing if r == root else None, root=root))
        report(comm, f"gather {root}", comm.gather(thing, root=root))
        report(comm, f"scatter {root}",
            comm.scatter([(i, thing) for i in range(p)] if r == root else None, root=root))
        report(comm, f"reduce {root}", comm.reduce([r, "a" * r], root=root))
    report(comm, "allgather", comm.allgather(thing))
    report(comm, "alltoall", comm.alltoall([(r, i, "y" * i * r) for i in range(p)]))
    report(comm, "allreduce", comm.allreduce((r, -r), op=MPI.MAX))
    report(comm, "allreduce lists", comm.allreduce([r]))
    report(comm, "scan", comm.scan([r]))
    report(comm, "exscan", comm.exscan([r]) if p > 1 else None)
    report(comm, "maxloc", comm.allreduce((r % 3, r), op=MPI.MAXLOC))


def buffers(comm, n):
    """The upper-case calls send memory."""
    r, p = comm.Get_rank(), comm.Get_size()
    data = array("i", [r * 1000 + i for i in range(n)])
    total = array("i", [0] * n)
    comm.Allreduce(data, total, op=MPI.SUM)
    report(comm, f"Allreduce {n}", total.tolist())
    comm.Allreduce(MPI.IN_PLACE, total, op=MPI.MAX)
    report(comm, f"Allreduce in place {n}", total.tolist())
    every = array("i", [0] * n * p)
    comm.Allgather(data, every)
    report(comm, f"Allgather {n}", every.tolist())
    counts = [(i % 3) * n // 2 for i in range(p)]
    ragged = array("i", [0] * sum(counts))
    comm.Allgatherv(data[:counts[r]], (ragged, counts))
    report(comm, f"Allgatherv {n}", ragged.tolist())
    row = array("d", [r + i / 8 for i in range(n * p)])
    column = array("d", [0] * (n * p))
    comm.Alltoall(row, column)
    report(comm, f"Alltoall {n}", column.tolist())
    part = array("d", [0] * n)
    comm.Reduce_scatter_block(row, part, op=MPI.SUM)
    report(comm, f"Reduce_scatter_block {n}", part.tolist())
    prefix = array("d", [0] * n)
    comm.Scan(part, prefix, op=MPI.SUM)
    report(comm, f"Scan {n}", prefix.tolist())
    comm.Bcast(prefix, root=p - 1)
    report(comm, f"Bcast {n}", prefix.tolist())
    comm.Barrier()


def longest(a, b, datatype):
    """Not commutative: keeps the left operand."""
    b[:] = a[:]


def operator(comm):
    op = MPI.Op.Create(longest, commute=False)
    data, out = array("i", [comm.Get_rank() + 5] * 10), array("i", [0] * 10)
    comm.Allreduce(data, out, op=op)
    op.Free()
    report(comm, "user operator", out.tolist())


half = world.Split(rank % 2, -rank)
for comm in (world, half, MPI.COMM_SELF):
    objects(comm)
    for n in (0, 1, 7, 1000, 20000):
        buffers(comm, n)
    operator(comm)
half.Free()
sys.stdout.flush()
