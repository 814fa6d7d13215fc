# Recipe for Spack.  The sources are a local archive: `git archive --prefix=attune-0.1.0/ -o attune-0.1.0.tar.gz HEAD`
# in the folder where `spack install attune` is run, or `spack dev-build attune@0.1.0` in the sources.
import os

from spack.package import *


class Attune(CMakePackage):
    """Self-tuning, topology-aware collectives for unmodified MPI programs. The command `attune run` preloads a library
    that executes collectives by the algorithm that a rule, a prediction or a measurement selects."""

    homepage = "file://" + os.getcwd()
    url = "file://{0}/attune-0.1.0.tar.gz".format(os.getcwd())

    license("BSD-3-Clause")

    version("0.1.0")

    variant("hwloc", default=True, description="Structure inside hosts")
    variant("simgrid", default=False, description="Simulated jobs with SimGrid SMPI")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("simgrid+smpi", when="+simgrid")
    depends_on("libyaml")
    depends_on("expat")
    depends_on("zlib")
    depends_on("iproute2", type="run", when="platform=linux")

    conflicts("platform=darwin", msg="Attune needs Linux")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("ATTUNE_MPI", self.spec["mpi"].prefix),
            self.define("ATN_PROGRAMS", False),
            self.define_from_variant("ATN_HWLOC", "hwloc"),
            self.define_from_variant("ATN_SMPI", "simgrid"),
        ]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        attune = Executable(self.prefix.bin.attune)
        attune("algo", "list", output=str)
