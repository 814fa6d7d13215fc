#!/usr/bin/env bash
# Debian packages of the build: lintian has nothing to report; installed in a copy-on-write view of this system they work
# with both MPIs, and leave nothing behind when removed.  Also the recipes of Spack and EasyBuild.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash
build=$(realpath -m "${ATTUNE_BUILD:-build}")
version=$(cat VERSION)
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
export TMPDIR=$box
flavours=()
for flavour in openmpi mpich; do
    [ ! -e "$build/lib/libattune-$flavour.so" ] || flavours+=("$flavour")
done

# ---- recipes ----
# Options that a recipe sets exist.
has_options() { # FILE
    local option bad=0
    for option in $(grep -oE '\b(ATN|ATTUNE)_[A-Z]+\b' "$1" | sort -u); do
        grep -qE "(option|set)\($option " CMakeLists.txt cmake/*.cmake || { echo "$1: no option $option"; bad=1; }
    done
    return $bad
}
easyconfig() { # FILE: all that EasyBuild requires, and the version of the file name
    python3 - "$1" "$version" <<'END'
import sys
found = {}
exec(open(sys.argv[1]).read(), found)
missing = [k for k in ("easyblock", "name", "version", "homepage", "description", "toolchain", "sources", "moduleclass",
                       "sanity_check_paths") if k not in found]
assert not missing, missing
t = found["toolchain"]
name = "%s-%s-%s-%s.eb" % (found["name"], found["version"], t["name"], t["version"])
assert sys.argv[1].endswith("/" + name) and found["version"] == sys.argv[2], name
assert all(len(d) >= 2 for d in found["builddependencies"] + found["dependencies"])
END
}
spack_recipe() { # evaluated with stand-ins for Spack's directives
    python3 - packaging/spack/package.py "$version" <<'END'
import sys, types
calls = []
def directive(name):
    return lambda *a, **k: calls.append((name, a)) or (lambda f: f)
module = types.ModuleType("spack.package")
for name in ("license", "version", "variant", "depends_on", "conflicts", "generator", "run_after",
             "on_package_attributes"):
    setattr(module, name, directive(name))
module.CMakePackage = type("CMakePackage", (), {})
sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": module})
found = {}
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), found)
package = found["Attune"]
assert package.__doc__ and package.homepage and package.url.endswith("attune-%s.tar.gz" % sys.argv[2])
assert ("version", (sys.argv[2],)) in calls, calls
assert ("depends_on", ("mpi",)) in calls
END
}
check "Spack: the recipe" spack_recipe
check "Spack: options exist" has_options packaging/spack/package.py
for file in packaging/easybuild/*.eb; do
    check "EasyBuild: $(basename "$file")" easyconfig "$file"
    check "EasyBuild: options exist" has_options "$file"
done

# ---- packages ----
for tool in cpack dpkg-shlibdeps lintian; do
    command -v $tool >/dev/null || { skip packages "no $tool"; finish; }
done
make_packages() {
    # Fast compression; everything else as in `make package`.
    (cd "$build" && cpack -G DEB -B "$box/packages" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip >"$box/log" 2>&1) ||
        { cat "$box/log"; return 1; }
    rm -rf "$box/packages/_CPack_Packages"
}
field() { dpkg-deb -f "$box/packages/$1"_*.deb "$2"; }
depends() { # PACKAGE PATTERN
    [[ $(field "$1" Depends) =~ $2 ]] || { field "$1" Depends; return 1; }
}
lintian_clean() {
    local text root=
    [ "$(id -u)" != 0 ] || root=--allow-root
    text=$(lintian $root --fail-on error,warning "$box"/packages/*.deb 2>&1) && [ -z "$text" ] || { echo "$text"; return 1; }
}
check "cpack" make_packages
for package in attune "${flavours[@]/#/libattune-}" attune-dev attune-doc; do
    check "$package: version" [ "$(field "$package" Version)" = "$version" ]
done
check "attune depends on libc" depends attune '(^|, )libc6 \(>= '
for flavour in "${flavours[@]}"; do
    check "libattune-$flavour depends on its MPI and on attune" \
        depends "libattune-$flavour" "attune \(= $version\).*lib(openmpi|mpich)[0-9]+ "
done
check "attune-doc: any architecture" [ "$(field attune-doc Architecture)" = all ]
check "lintian" lintian_clean

# ---- a clean root ----
# The rest runs in a mount namespace, chrooted into an overlay of this system.
cat >"$box/inside" <<'END'
. /tmp/tap.bash
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
version=$1
shift
dpkg_quiet() { dpkg "$@" >/tmp/dpkg.log 2>&1 || { cat /tmp/dpkg.log; return 1; }; }
runs_under() { # FLAVOUR
    "mpicc.$1" -o /tmp/program /usr/share/doc/attune/examples/collectives.c -lm &&
        attune run --algorithm allreduce=ring --report -- "mpirun.$1" -n 2 /tmp/program 0.001 >/tmp/out 2>&1 &&
        grep -qE '^allreduce .* ring ' /tmp/out || { cat /tmp/out; return 1; }
}
# As in a container: the launcher is outside, Attune and the program are inside.
in_chroot() { # FLAVOUR
    mkdir -p /tmp/image && mount --rbind / /tmp/image &&
        "mpirun.$1" -n 2 chroot /tmp/image attune run --algorithm allreduce=ring --report -- /tmp/program 0.001 >/tmp/out 2>&1
    umount -l /tmp/image
    grep -q '^attune report: 2 ranks on 1 host' /tmp/out && grep -qE '^allreduce .* ring ' /tmp/out || { cat /tmp/out; return 1; }
}
doctor_finds() { # FLAVOUR
    attune doctor --format csv >/tmp/out
    grep "^mpi,ok,.*/usr/lib/attune/libattune-$1.so" /tmp/out || { cat /tmp/out; return 1; }
}
# As in tests/lint/docs.sh: commands that start a job have their own tests.
readme() {
    local line bad=0
    cd /usr/share/doc/attune || return 1
    grep -qE '^attune algo list' README.md || { echo "no command in README.md"; return 1; }
    while read -r line; do
        [[ $line == "attune doctor"* || $line == "attune run "* || $line == "attune lab "* || $line == *" -- "* ]] && continue
        (cd /usr/share/doc/attune; eval "${line%%#*}") >/dev/null || { echo "$line"; bad=1; }
    done < <(grep -hE '^attune [a-z]' README.md)
    return $bad
}
links() {
    local page target bad=0
    for page in /usr/share/doc/attune/*.md /usr/share/doc/attune/docs/*.md; do
        for target in $(grep -oE '\]\([^)#: ]+' "$page" | cut -c3-); do
            [ -e "$(dirname "$page")/$target" ] || { echo "$page: no $target"; bad=1; }
        done
    done
    return $bad
}
cmake_package() {
    mkdir -p /tmp/project
    cat >/tmp/project/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(x LANGUAGES C)
find_package(Attune 0.1 REQUIRED)
add_library(unit OBJECT unit.c)
target_link_libraries(unit PRIVATE Attune::headers)
if(NOT EXISTS ${Attune_COMMAND} OR NOT Attune_VERSION)
    message(FATAL_ERROR "${Attune_COMMAND} ${Attune_VERSION}")
endif()
CMAKE
    printf '#include <attune/attune.h>\nint v = ATTUNE_VERSION_NUMBER;\n' >/tmp/project/unit.c
    cmake -S /tmp/project -B /tmp/project/build >/tmp/out 2>&1 && cmake --build /tmp/project/build >>/tmp/out 2>&1 ||
        { cat /tmp/out; return 1; }
}
# A file alone: Lmod prefers Lua where both exist.
module_file() { # FILE
    mkdir -p "/tmp/tree/share/attune/modulefiles/attune"
    rm -f /tmp/tree/share/attune/modulefiles/attune/*
    cp "/usr/share/attune/modulefiles/attune/$1" /tmp/tree/share/attune/modulefiles/attune
    MODULEPATH=/tmp/tree/share/attune/modulefiles /usr/share/lmod/lmod/libexec/lmod bash load attune >/tmp/out 2>&1
    grep -q 'PATH="\?/tmp/tree/bin' /tmp/out || { cat /tmp/out; return 1; }
}
check "installation" dpkg_quiet -i /tmp/packages/*.deb
check "attune --version" eval '[ "$(attune --version | head -n 1)" = "attune $version" ]'
for flavour; do
    check "attune run with $flavour" runs_under "$flavour"
    check "attune run in a chroot, launcher outside, with $flavour" in_chroot "$flavour"
    check "attune doctor finds $flavour" doctor_finds "$flavour"
done
check "commands of the installed README" readme
check "links of the installed documents" links
check "manual page" [ -s /usr/share/man/man1/attune-run.1.gz ]
check "pkg-config" eval '[ "$(pkg-config --modversion attune)" = "$version" ]'
check "find_package(Attune)" cmake_package
check "completion: bash" bash -c '. /usr/share/bash-completion/completions/attune; complete -p attune'
for shell in zsh fish; do
    script=/usr/share/zsh/vendor-completions/_attune
    [ $shell = zsh ] || script=/usr/share/fish/vendor_completions.d/attune.fish
    if command -v $shell >/dev/null; then check "completion: $shell" $shell -n $script; else skip "completion: $shell" "no $shell"; fi
done
if [ -e /usr/share/lmod/lmod/libexec/lmod ]; then
    check "module file for Lmod" module_file "$version.lua"
    check "module file for Environment Modules" module_file "$version"
else
    skip "module files" "no lmod"
fi
check "removal" dpkg_quiet --purge attune-dev attune-doc "${@/#/libattune-}" attune
check "the command is gone" eval '! command -v attune'
echo "$tap_n $tap_failed" >/tmp/counts
END
# What differs from this system, except records of dpkg and caches.
left_over() {
    local path
    find "$box/top/upper" -mindepth 1 -printf '%y %P\n' | while read -r kind path; do
        case $path in
        tmp | tmp/* | var/lib/dpkg* | var/log* | var/cache* | etc/ld.so.cache) ;;
        *) [ "$kind" = d ] && [ -d "/$path" ] || echo "$path" ;;
        esac
    done
}
mkdir "$box/top"
cat >"$box/enter" <<END
set -e
mount -t tmpfs -o size=2g none '$box/top'
mkdir '$box/top/upper' '$box/top/work' '$box/top/root'
mount -t overlay -o lowerdir=/,upperdir='$box/top/upper',workdir='$box/top/work' none '$box/top/root'
cd '$box/top/root'
for dir in proc sys dev dev/shm; do mount --bind /\$dir \$dir; done
mount -t tmpfs none tmp
cp -r '$box/packages' '$box/inside' tests/tap.bash tmp 2>/dev/null || cp -r '$box/packages' '$box/inside' '$PWD/tests/tap.bash' tmp
chroot . bash /tmp/inside '$version' ${flavours[*]}
cp tmp/counts '$box/counts'
END
if [ "$(id -u)" = 0 ] && unshare -m mount -t tmpfs none "$box/top" 2>/dev/null; then
    declare -f left_over >>"$box/enter"
    printf 'box=%q\nleft_over >%q\n' "$box" "$box/left" >>"$box/enter"
    unshare -m bash "$box/enter" 2>"$box/errors" | sed "s/^\(not ok\|ok\) [0-9]* - /\1 - clean root: /" >"$box/points"
    while read -r line; do
        case $line in
        'ok -'*' # SKIP '*) skip "$(sed 's/^ok - //; s/ # SKIP.*//' <<<"$line")" "${line##* # SKIP }" ;;
        'ok -'*) tap_point "${line#ok - }" yes ;;
        'not ok -'*) tap_point "${line#not ok - }" no "$(grep '^#' "$box/points" | head -n 40)" ;;
        esac
    done <"$box/points"
    check "clean root: all tests ran" test -s "$box/counts"
    check "clean root: nothing is left" test -e "$box/left" -a ! -s "$box/left"
    [ $tap_failed = 0 ] || sed 's/^/# /' "$box/errors" "$box/left"
else
    skip "clean root" "needs root and mount namespaces"
fi
finish
