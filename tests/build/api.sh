#!/usr/bin/env bash
# The public headers compile alone, in C and C++, without warnings; their version is that of the command.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash
build=${ATTUNE_BUILD:-$PWD/build}
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
version=$("$build/bin/attune" --version | sed -n '1s/^attune //p')

compiles() { # HEADER LANGUAGE COMPILER STANDARD ...: the header alone, included twice
    printf '#include <attune/%s>\n#include <attune/%s>\nint main(void) { return 0; }\n' "$1" "$1" >"$box/unit"
    "$3" -x "$2" -Wall -Wextra -Wpedantic -Werror "${@:4}" -isystem "$box/mpi" -I include -fsyntax-only "$box/unit"
}
compile_headers() { # NAME LANGUAGE COMPILER STANDARD
    local header
    for header in include/attune/*.h; do
        header=$(basename "$header")
        check "$header: $1, $4" compiles "$header" "$2" "$3" "-std=$4"
    done
}

# Prints the version from the macros; then that of the library and whether it is active, if it is loaded.
cat >"$box/version.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#include <attune/attune.h>
#if !ATTUNE_VERSION_AT_LEAST(0, 1, 0) || ATTUNE_VERSION_AT_LEAST(99, 0, 0)
#error "wrong comparison of versions"
#endif
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    printf("%d.%d.%d", ATTUNE_VERSION_MAJOR, ATTUNE_VERSION_MINOR, ATTUNE_VERSION_PATCH);
    if (attune_version != NULL)
        printf(" %s%s", attune_version(), attune_active() ? ", active" : "");
    puts("");
    MPI_Finalize();
    return 0;
}
END
prints() { # TEXT COMMAND ...
    local wanted=$1 text
    shift
    text=$("$@" 2>&1) && [ "$text" = "$wanted" ] || { echo "expected: $wanted; printed: $text"; return 1; }
}
soname() { # LIBRARY
    objdump -p "$1" | awk '$1 == "SONAME" { print $2 }'
}
# The file has its plain name; the soname is a link to it.
is_versioned() { # FLAVOUR
    local library=$build/lib/libattune-$1.so name
    name=$(soname "$library")
    [[ $version == "${name#libattune-"$1".so.}".* ]] && [ ! -L "$library" ] &&
        [ "$build/lib/$name" -ef "$library" ] || { echo "soname $name"; return 1; }
}
mpi_program() { # FLAVOUR
    local run=("mpirun.$1" -n 1)
    check "$1: versioned soname" is_versioned "$1"
    check "$1: compiles" "mpicc.$1" -I include -o "$box/weak" "$box/version.c"
    check "$1: version without Attune" prints "$version" "${run[@]}" "$box/weak"
    check "$1: version, preloaded" prints "$version $version, active" \
        "$build/bin/attune" run -- "${run[@]}" "$box/weak"
    check "$1: links with the library" "mpicc.$1" -I include -o "$box/linked" "$box/version.c" \
        -Wl,--no-as-needed -L "$build/lib" "-lattune-$1"
    check "$1: version, linked" prints "$version $version, active" \
        env LD_LIBRARY_PATH="$build/lib" "${run[@]}" "$box/linked"
    check "$1: version, linked and preloaded" prints "$version $version, active" \
        env LD_LIBRARY_PATH="$build/lib" "$build/bin/attune" run -- "${run[@]}" "$box/linked"
}

check "attune --version is VERSION" [ "$version" = "$(cat VERSION)" ]
for flavour in openmpi mpich; do
    [ -e "$build/lib/libattune-$flavour.so" ] || { skip "$flavour" "not built"; continue; }
    # Headers of MPI libraries may contain what -Wpedantic rejects, so they are system headers here.
    rm -rf "$box/mpi"
    ln -s "$(dirname "$("mpicc.$flavour" -x c -E -include mpi.h /dev/null | sed -n 's/^# [0-9]* "\(.*\/mpi\.h\)".*/\1/p' | head -n 1)")" "$box/mpi"
    compile_headers "C, $flavour" c "${CC:-cc}" c11
    if command -v g++ >/dev/null; then
        compile_headers "C++, $flavour" c++ g++ c++11
    else
        skip "C++, $flavour" "no g++"
    fi
    mpi_program "$flavour"
done
finish
