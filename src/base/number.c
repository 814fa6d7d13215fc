/* number.c - logarithms, hash, random numbers. */
#include "base/base.h"

int atn_floor_log2(int p)
{
    int bits = 0;
    while (p > 1) {
        p >>= 1;
        bits++;
    }
    return bits;
}

int atn_ceil_log2(int p) { return atn_floor_log2(p) + (atn_is_pow2(p) || p < 1 ? 0 : 1); }

uint64_t atn_hash(const void *data, size_t bytes, uint64_t seed)
{
    const unsigned char *at = data;
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ seed;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t atn_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}
