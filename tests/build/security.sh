#!/usr/bin/env bash
# The protections that SECURITY.md promises: hardened binaries, and against programs with foreign rights and files of
# other users.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash
build=${ATTUNE_BUILD:-$PWD/build}
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT

# ---- hardening ----

if ! command -v cc >/dev/null || ! command -v objdump >/dev/null; then
    skip "hardening" "needs cc and binutils"
elif grep -q '^ATN_HARDEN:BOOL=OFF' "$build/CMakeCache.txt" 2>/dev/null; then
    skip "hardening" "this build is not hardened"
else
    cat >"$box/sample.c" <<'END'
#include <stdio.h>
#include <string.h>
int atn_sample(char *out, const char *in);
int atn_sample(char *out, const char *in) { return sprintf(out, "%s", in); }
int main(int n, char **words)
{
    char copy[16];
    strcpy(copy, words[n - 1]);
    return atn_sample(copy, words[0]);
}
END
    case $(uname -m) in aarch64) branches=-mbranch-protection ;; *) branches=-fcf-protection ;; esac
    case $(uname -m) in aarch64) all=standard ;; *) all=full ;; esac
    sample() { # FLAG ...: later flags take precedence
        cc -w -O2 -fPIE -pie -fstack-protector-strong $branches=$all -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 \
            -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack "$box/sample.c" -o "$box/sample" "$@" &&
            tools/check_hardened "$box/sample"
    }
    check "a sample with all protections" sample
    check_fails "no stack protector" "missing stack protector" sample -fno-stack-protector
    check_fails "no fortified copies" "missing fortified copies" sample -U_FORTIFY_SOURCE
    check_fails "executable stack" "missing a stack without execution" sample -Wl,-z,execstack
    check_fails "fixed addresses" "missing position-independent code" sample -fno-pie -no-pie
    check_fails "writable relocations" "missing read-only relocations" sample -Wl,-z,norelro
    check_fails "lazy binding" "missing binding at start" sample -Wl,-z,lazy
    check_fails "no landing pads" "missing landing pads" sample $branches=none
    check_fails "a text" "is neither a program nor a library" tools/check_hardened "$box/sample.c"
    mapfile -t shipped < <(find "$build/bin/attune" "$build"/lib/libattune{,_trace,_messages}-*.so 2>/dev/null)
    check "the command and the preload libraries (${#shipped[@]} files)" tools/check_hardened "${shipped[@]}"
fi

# ---- rights of another user ----

if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
    skip "set-uid" "needs root and setpriv"
else
    chmod 755 "$box"
    cp "$build/bin/attune" "$box/attune" && chmod 755 "$box/attune"
    as_nobody() { (cd / && setpriv --reuid=65534 --regid=65534 --clear-groups "$box/attune" --version); }
    check "a copy runs for another user" as_nobody
    chmod u+s "$box/attune"
    check_fails "a set-uid copy refuses" "runs with the rights of another user" as_nobody
fi

# ---- files of other users ----

mkdir -p "$box/data/attune" && printf 'attune-wisdom 1\nrule bcast use=chain\nend\n' >"$box/data/attune/wisdom"
rules() { XDG_DATA_HOME=$box/data HOME=$box "$build/bin/attune" wisdom show 2>&1; }
used() { rules | grep -q '^rule bcast .*chain' || { rules; return 1; }; }
refused() { # TEXT
    [[ $(rules) == *"$1"*"this wisdom is not used"* ]] && ! used >/dev/null || { rules; return 1; }
}
check "wisdom of this user is used" used
chmod 664 "$box/data/attune/wisdom"
check "wisdom that a group shares is used" used
chmod 666 "$box/data/attune/wisdom"
check "wisdom that every user may write is not" refused "every user may write it; run chmod o-w on it"
chmod 644 "$box/data/attune/wisdom"
if [ "$(id -u)" = 0 ]; then
    chown 65534 "$box/data/attune/wisdom"
    check "wisdom of another user is not" refused "belongs neither to this user nor to root"
fi
rm "$box/data/attune/wisdom" && mkfifo "$box/data/attune/wisdom"
check "a pipe in its place does not block" timeout 20 bash -c "$(declare -f rules refused used)
    box=$box build=$build refused 'is not a file'"
finish
