/* channel.pml - model of a shared-memory channel between two ranks, for spin: a ring of SLOTS slots
 * with one producer and one consumer.
 *
 * - Every slot has a flag: the number of the message in it.  The producer stores the data, then the
 *   flag; the consumer waits for the flag of the next message.
 * - The consumer publishes its position (TAIL) only after every SLOTS / 2 messages.  The producer
 *   waits while the ring is full according to TAIL.
 * - A rank that waits may sleep: it stores ASLEEP, calls membarrier, checks its condition again, and
 *   sleeps in a futex as long as ASLEEP is set.  The other rank stores its flag (or TAIL) and then
 *   loads ASLEEP, without any fence in between; if it is set, it clears it and wakes the sleeper.
 *
 * Memory is that of x86 (total store order): stores enter the FIFO buffer of a rank and reach memory
 * later, in order; loads do not wait for them.  membarrier empties first the caller's buffer, then
 * the other one, as the inter-processor interrupt of Linux does.  Other memory models need release
 * stores and acquire loads for flag and TAIL; the doorbell is the same there.
 *
 * Checked: messages arrive complete and in order, no slot is overwritten before it was read, and no
 * rank sleeps forever (an invalid end state).  Each mutation must violate one of these:
 *   OWN_FENCE        the sleeper executes a fence of its own instead of membarrier
 *   NO_CHECK_AGAIN   the sleeper does not check its condition again
 *   NO_WAIT          the producer ignores TAIL
 *   EARLY_TAIL       the consumer publishes its position before it reads the slot
 *   FLAG_FIRST       the producer stores the flag before the data
 *   NO_VALUE         the futex sleeps without comparing ASLEEP */
#ifndef SLOTS
#define SLOTS 4
#endif
#ifndef MESSAGES
#define MESSAGES 8 /* the ring is filled twice */
#endif
#define STORES 3 /* depth of a store buffer */

#define DATA(i) ((i) % SLOTS)
#define FLAG(i) (SLOTS + (i) % SLOTS)
#define TAIL (2 * SLOTS)
#define ASLEEP(side) (2 * SLOTS + 1 + (side))
#define PRODUCER 0
#define CONSUMER 1

byte memory[2 * SLOTS + 3];
chan stores[2] = [STORES] of { byte, byte }; /* address, value */
bool awake[2] = true;
byte taken; /* messages that the consumer has read; for the check only */

/* A store becomes visible.  Message m occupies the slot of message m - SLOTS. */
inline reach(address, value)
{
    assert(address >= SLOTS || value <= taken + SLOTS);
    memory[address] = value
}

inline empty_buffer(side)
{
    do
    :: stores[side] ? address, value -> reach(address, value)
    :: empty(stores[side]) -> break
    od
}

inline membarrier(side)
{
    atomic { empty_buffer(side) }
#ifndef OWN_FENCE
    atomic { empty_buffer(1 - side) }
#endif
}

/* FUTEX_WAIT compares and sleeps atomically; FUTEX_WAKE of a rank that is awake has no effect. */
inline futex_wait(side)
{
    atomic {
        if
#ifdef NO_VALUE
        :: awake[side] = false
#else
        :: memory[ASLEEP(side)] == 1 -> awake[side] = false
        :: else
#endif
        fi
    }
    awake[side]
}

/* Returns when the condition may hold; the caller checks it. */
inline sleep_unless(side, condition)
{
    stores[side] ! ASLEEP(side), 1;
    membarrier(side);
#ifdef NO_CHECK_AGAIN
    futex_wait(side);
#else
    if
    :: condition
    :: !(condition) -> futex_wait(side)
    fi;
#endif
    stores[side] ! ASLEEP(side), 0
}

/* The exchange is a locked instruction, which empties the buffer of the rank that executes it. */
inline ring_bell(side)
{
    if
    :: memory[ASLEEP(1 - side)] == 1 ->
        atomic { empty_buffer(side); memory[ASLEEP(1 - side)] = 0 };
        awake[1 - side] = true
    :: else
    fi
}

inline wait_until(side, condition)
{
    do
    :: condition -> break
    :: !(condition) -> sleep_unless(side, condition)
    od
}

#ifdef NO_WAIT
#define HAS_ROOM true
#else
#define HAS_ROOM (next - memory[TAIL] <= SLOTS)
#endif

/* Messages are numbered from 1, and each contains its number. */
active proctype producer()
{
    byte next = 1, address, value;
    do
    :: next > MESSAGES -> break
    :: else ->
        wait_until(PRODUCER, HAS_ROOM);
#ifdef FLAG_FIRST
        stores[PRODUCER] ! FLAG(next), next;
        stores[PRODUCER] ! DATA(next), next;
#else
        stores[PRODUCER] ! DATA(next), next;
        stores[PRODUCER] ! FLAG(next), next;
#endif
        ring_bell(PRODUCER);
        next++
    od
}

inline publish(position)
{
    if
    :: (position) % (SLOTS / 2) == 0 ->
        stores[CONSUMER] ! TAIL, position;
        ring_bell(CONSUMER)
    :: else
    fi
}

active proctype consumer()
{
    byte next = 1, address, value;
    do
    :: next > MESSAGES -> break
    :: else ->
        wait_until(CONSUMER, memory[FLAG(next)] == next);
#ifdef EARLY_TAIL
        publish(next);
#endif
        atomic {
            assert(memory[DATA(next)] == next);
            taken = next
        };
#ifndef EARLY_TAIL
        publish(next);
#endif
        next++
    od
}

/* A processor writes the oldest store of its buffer at any time. */
active [2] proctype write_back()
{
    byte address, value;
    byte side = _pid - 2;
end:
    do
    :: atomic { stores[side] ? address, value -> reach(address, value) }
    od
}
