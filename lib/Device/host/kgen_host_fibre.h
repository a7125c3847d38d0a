//===- kgen_host_fibre.h - One fibre for each thread of a block -----------===//
//
// The part of CUDA's execution model that needs suspended threads: barriers,
// warp-wide exchanges, deferred asynchronous copies. One OS thread runs one
// block at a time; its fibres take turns in a fixed order, so a run is
// repeatable. Running them in ascending and then in descending order gives
// different results when a barrier is missing.
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_HOST_FIBRE_H
#define KGEN_HOST_FIBRE_H

#include "kgen_host_abi.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef __x86_64__
#error "device host runs on x86-64 only: the fibre switch is written for it"
#endif

namespace kgen_host {

enum { MaxThreads = 1024, StackBytes = KGEN_HOST_STACK_BYTES, Words = MaxThreads / 64 };

/// One deferred asynchronous copy; a null source means zero fill.
struct AsyncCopy {
  void *dst;
  const void *src;
  unsigned bytes, group;
};

/// A function that the last lane to arrive calls with every lane's pointer (null for absent lanes).
typedef void (*WarpFunction)(void *lanes[32], void *context);

struct Fibre {
  void *stackPointer;
  AsyncCopy *copies; ///< queue, kept between blocks
  unsigned copyCount, copyCapacity, openGroup;
};

/// What each thread does stands in sets of bits, so that a warp or a block changes state in one store.
struct Block {
  uint64_t ready[Words], atBarrier[Words], atWarp[Words]; ///< in none of them: it has left the kernel
  void *warpValue[MaxThreads];                            ///< operand of the warp-wide operation it waits at
  unsigned warpMask[MaxThreads];                          ///< and its lanes
  uint64_t atEvent[Words];                                ///< waits for something named below
  const void *event[MaxThreads];
  const char *eventName[MaxThreads];
  unsigned eventDetail[MaxThreads]; ///< parity of an mbarrier, number of a named barrier
  Fibre fibre[MaxThreads];
  const KGenHostLaunch *launch;
  char *queuesUsed; ///< how far the launch's memory for queues is taken
  unsigned count, current, live, arrived;
  unsigned barriers; ///< __syncthreads that are over
  bool descending, failed;
  int barrierSum, barrierAnd, barrierOr;
  unsigned dim[3];
  void *mainStack;
  void (*entry)(void *);
  void *entryContext;
  void (*setThread)(unsigned);
  char message[512];
};

/// The block that runs now. One per process: blocks never run side by side in one process.
static Block block;

// Saves the callee-saved registers on the old stack, takes the new stack over. About 10 times
// faster than swapcontext, which asks the kernel for the signal mask.
extern "C" void kgen_host_switch(void **save, void *load) __attribute__((visibility("hidden")));
__asm__(".text\n.p2align 4\n.hidden kgen_host_switch\n.type kgen_host_switch,@function\nkgen_host_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n  ret\n"
        ".size kgen_host_switch,.-kgen_host_switch\n");

static inline void add(uint64_t *set, unsigned i) { set[i >> 6] |= 1ull << (i & 63); }
static inline void drop(uint64_t *set, unsigned i) { set[i >> 6] &= ~(1ull << (i & 63)); }
static inline bool has(const uint64_t *set, unsigned i) { return set[i >> 6] >> (i & 63) & 1; }
/// The 32 bits of the warp whose first thread is BASE.
static inline unsigned lanesIn(const uint64_t *set, unsigned base) { return unsigned(set[base >> 6] >> (base & 32)); }

/// The next ready fibre after `from` in the block's order, cyclic; -1 when none is.
static inline int nextReady(unsigned from) {
  if (!block.descending) {
    unsigned word = from >> 6;
    uint64_t bits = (from & 63) == 63 ? 0 : block.ready[word] & (~0ull << ((from & 63) + 1));
    for (unsigned n = 0; n <= Words; ++n) {
      if (bits)
        return word * 64 + __builtin_ctzll(bits);
      word = (word + 1) % Words;
      bits = block.ready[word];
    }
    return -1;
  }
  unsigned word = from >> 6;
  uint64_t bits = block.ready[word] & ((1ull << (from & 63)) - 1);
  for (unsigned n = 0; n <= Words; ++n) {
    if (bits)
      return word * 64 + 63 - __builtin_clzll(bits);
    word = (word + Words - 1) % Words;
    bits = block.ready[word];
  }
  return -1;
}

static inline void nameThread(char *out, size_t size, unsigned i) {
  unsigned x = i % block.dim[0], y = i / block.dim[0] % block.dim[1], z = i / block.dim[0] / block.dim[1];
  snprintf(out, size, "(%u,%u,%u)", x, y, z);
}

/// Nobody can run and somebody has not finished: says who waits for whom.
static __attribute__((noinline, cold)) void explainDeadlock() {
  unsigned barrier = 0, warp = 0, events = 0, done = 0, atBarrier = 0, atWarp = 0, atEvent = 0, gone = 0;
  for (unsigned i = 0; i < block.count; ++i)
    if (has(block.atEvent, i))
      atEvent = events++ ? atEvent : i;
    else if (has(block.atBarrier, i))
      atBarrier = barrier++ ? atBarrier : i;
    else if (has(block.atWarp, i))
      atWarp = warp++ ? atWarp : i;
    else
      gone = done++ ? gone : i;
  char a[64], b[64];
  block.failed = true;
  if (events) {
    nameThread(a, sizeof a, atEvent);
    snprintf(block.message, sizeof block.message,
             "deadlock: thread %s waits at %s (parity or number %u) with %u others, %u wait at __syncthreads, %u at a "
             "warp-wide operation, %u have left the kernel",
             a, block.eventName[atEvent], block.eventDetail[atEvent], events - 1, barrier, warp, done);
    return;
  }
  if (warp) {
    nameThread(a, sizeof a, atWarp);
    unsigned base = atWarp & ~31u, mask = block.warpMask[atWarp], missing = base;
    const char *where = "has left the kernel";
    for (unsigned i = base; i < block.count && i < base + 32; ++i)
      if ((mask >> (i & 31) & 1) && !(has(block.atWarp, i) && block.warpMask[i] == mask)) {
        missing = i;
        where = has(block.atBarrier, i) ? "waits at __syncthreads"
                : has(block.atWarp, i)  ? "waits with another lane mask"
                                        : "has left the kernel";
        break;
      }
    nameThread(b, sizeof b, missing);
    snprintf(block.message, sizeof block.message,
             "deadlock: thread %s waits at a warp-wide operation with mask 0x%08x, thread %s %s", a,
             mask, b, where);
    return;
  }
  nameThread(a, sizeof a, atBarrier);
  nameThread(b, sizeof b, gone);
  snprintf(block.message, sizeof block.message,
           "divergent __syncthreads: %u threads wait at it (first %s), %u have left the kernel (first %s)", barrier, a,
           done, b);
}

static inline void switchTo(unsigned to) {
  unsigned from = block.current;
  if (to == from)
    return;
  block.current = to;
  block.setThread(to);
  kgen_host_switch(&block.fibre[from].stackPointer, block.fibre[to].stackPointer);
}

static inline void leaveToMain() {
  void *unused;
  kgen_host_switch(&unused, block.mainStack);
  __builtin_unreachable();
}

/// Lets the next ready fibre run; returns when this one is ready and its turn comes.
static __attribute__((noinline)) void yield() {
  int to = nextReady(block.current);
  if (to < 0) {
    explainDeadlock();
    leaveToMain();
  }
  switchTo(unsigned(to));
}

/// Waits until somebody calls wakeEvent(KEY); NAME is for the report of a deadlock.
static __attribute__((noinline)) void waitEvent(const void *key, const char *name) {
  drop(block.ready, block.current);
  add(block.atEvent, block.current);
  block.event[block.current] = key;
  block.eventName[block.current] = name;
  yield();
}

template <class F> static inline void forWaiters(const void *key, F f) {
  for (unsigned w = 0; w * 64 < block.count; ++w)
    for (uint64_t bits = block.atEvent[w]; bits; bits &= bits - 1)
      if (unsigned i = w * 64 + __builtin_ctzll(bits); block.event[i] == key)
        f(i);
}
static void wakeEvent(const void *key) {
  forWaiters(key, [](unsigned i) {
    drop(block.atEvent, i);
    add(block.ready, i);
  });
}
static bool hasWaiters(const void *key) {
  bool any = false;
  forWaiters(key, [&](unsigned) { any = true; });
  return any;
}

/// Room for more ITEMS, at least FEWEST. What they had is left behind: queues live no longer than their process.
template <class T> static void grow(T *&items, unsigned count, unsigned &capacity, unsigned fewest) {
  const unsigned wanted = capacity ? capacity * 2 : fewest;
  char *at = block.queuesUsed ? block.queuesUsed : block.launch->queues;
  if (size_t(block.launch->queuesEnd - at) < wanted * sizeof(T)) {
    snprintf(block.message, sizeof block.message, "more is under way than device host can keep in mind");
    block.failed = true;
    leaveToMain();
  }
  block.queuesUsed = at + (wanted * sizeof(T) + 63) / 64 * 64;
  if (count)
    memcpy(static_cast<void *>(at), items, count * sizeof(T));
  items = reinterpret_cast<T *>(at);
  capacity = wanted;
}

/// Defined in kgen_host_hopper.h: the state of sm_90 instructions, before and after a block.
static void hopperBegin();
static bool hopperEnd();

static void fibreMain() {
  block.entry(block.entryContext);
  drop(block.ready, block.current);
  if (--block.live == 0)
    leaveToMain();
  yield();
  __builtin_unreachable();
}

/// A barrier of the whole block. Threads that left the kernel do not count as arrived: code that
/// relies on it is refused, because CUDA leaves it undefined.
static __attribute__((noinline)) void barrier(int value) {
  if (block.arrived == 0) {
    block.barrierSum = 0;
    block.barrierAnd = 1;
    block.barrierOr = 0;
  }
  block.barrierSum += value != 0;
  block.barrierAnd &= value != 0;
  block.barrierOr |= value != 0;
  if (++block.arrived < block.count) {
    drop(block.ready, block.current);
    add(block.atBarrier, block.current);
    yield();
    return;
  }
  block.arrived = 0;
  ++block.barriers;
  for (unsigned i = 0; i * 64 < block.count; ++i) {
    block.ready[i] |= block.atBarrier[i];
    block.atBarrier[i] = 0;
  }
  // Starts over at the first thread of the order, so that a missing barrier further on shows.
  switchTo(block.descending ? block.count - 1 : 0);
}

/// Waits until every lane of `mask` (that exists) is here; the last one calls `function`.
static __attribute__((noinline)) void warpCollective(unsigned mask, void *value, WarpFunction function, void *context) {
  unsigned me = block.current, base = me & ~31u;
  if (block.count - base < 32)
    mask &= (1u << (block.count - base)) - 1;
  if (!(mask >> (me & 31) & 1)) {
    char name[64];
    nameThread(name, sizeof name, me);
    snprintf(block.message, sizeof block.message, "thread %s calls a warp-wide operation whose mask 0x%08x lacks it",
             name, mask);
    block.failed = true;
    leaveToMain();
  }
  block.warpMask[me] = mask;
  block.warpValue[me] = value;
  unsigned others = mask & ~(1u << (me & 31));
  bool complete = (lanesIn(block.atWarp, base) & others) == others;
  for (unsigned rest = others; complete && rest; rest &= rest - 1)
    complete = block.warpMask[base + __builtin_ctz(rest)] == mask;
  if (!complete) {
    drop(block.ready, me);
    add(block.atWarp, me);
    yield();
    return;
  }
  if (function && mask == ~0u) {
    function(block.warpValue + base, context);
  } else if (function) {
    void *pointers[32];
    for (unsigned lane = 0; lane < 32; ++lane)
      pointers[lane] = mask >> lane & 1 ? block.warpValue[base + lane] : nullptr;
    function(pointers, context);
  }
  block.atWarp[base >> 6] &= ~(uint64_t(others) << (base & 32));
  block.ready[base >> 6] |= uint64_t(others) << (base & 32);
  switchTo(base + (block.descending ? 31 - __builtin_clz(mask) : __builtin_ctz(mask)));
}

/// Runs `entry(context)` once per thread of one block. False: `block.message` says why not.
static bool runBlock(const unsigned dim[3], bool descending, void (*setThread)(unsigned), void (*entry)(void *),
                     void *context) {
  if (dim[0] * dim[1] * dim[2] > block.launch->stackCount) {
    snprintf(block.message, sizeof block.message, "there are stacks for %u threads of a block", block.launch->stackCount);
    return false;
  }
  memcpy(block.dim, dim, sizeof block.dim);
  block.count = block.live = dim[0] * dim[1] * dim[2];
  block.descending = descending;
  block.failed = false;
  block.arrived = block.barriers = 0;
  block.entry = entry;
  block.entryContext = context;
  block.setThread = setThread;
  memset(block.ready, 0, sizeof block.ready);
  memset(block.atBarrier, 0, sizeof block.atBarrier);
  memset(block.atWarp, 0, sizeof block.atWarp);
  memset(block.atEvent, 0, sizeof block.atEvent);
  hopperBegin();
  for (unsigned i = 0; i < block.count; ++i) {
    Fibre &fibre = block.fibre[i];
    fibre.copyCount = fibre.openGroup = 0;
    add(block.ready, i);
    // Stacks a power of two apart would share cache sets: stagger their tops.
    char *top = block.launch->stacks + size_t(i + 1) * StackBytes - (i * 5 % 61) * 64;
    void **frame = reinterpret_cast<void **>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t(15));
    *--frame = nullptr; // what fibreMain would return to
    *--frame = reinterpret_cast<void *>(&fibreMain);
    frame -= 6;
    memset(frame, 0, 6 * sizeof(void *));
    fibre.stackPointer = frame;
  }
  unsigned first = descending ? block.count - 1 : 0;
  block.current = first;
  setThread(first);
  kgen_host_switch(&block.mainStack, block.fibre[first].stackPointer);
  return !block.failed && hopperEnd();
}

//===--- Asynchronous copies: nothing moves before the wait ---------------===//

static inline void perform(const AsyncCopy &copy) {
  if (copy.src)
    memcpy(copy.dst, copy.src, copy.bytes);
  else
    memset(copy.dst, 0, copy.bytes);
}

static void asyncCopy(void *dst, const void *src, size_t bytes) {
  Fibre &self = block.fibre[block.current];
  if (self.copyCount == self.copyCapacity)
    grow(self.copies, self.copyCount, self.copyCapacity, 32);
  self.copies[self.copyCount++] = {dst, src, unsigned(bytes), self.openGroup};
}

static void asyncCommit() { ++block.fibre[block.current].openGroup; }

/// Performs all committed groups but the `pending` latest.
static void asyncWait(unsigned pending) {
  Fibre &self = block.fibre[block.current];
  unsigned done = 0;
  while (done < self.copyCount && self.copies[done].group + pending < self.openGroup)
    perform(self.copies[done++]);
  if (done) {
    self.copyCount -= done;
    memmove(self.copies, self.copies + done, self.copyCount * sizeof(AsyncCopy));
  }
}

} // namespace kgen_host

//===--- The hooks that device headers with two bodies call on the host ---===//

/// Every lane of the warp gives `bytes` at `mine` and gets all 32 lanes' values, in lane order, at `all32`.
/// Absent lanes read as zero.
static inline void kgen_host_warp_exchange(const void *mine, void *all32, size_t bytes) {
  struct Request {
    const void *mine;
    void *all;
    size_t bytes;
  } request = {mine, all32, bytes};
  kgen_host::warpCollective(
      ~0u, &request,
      [](void *lanes[32], void *) {
        for (int to = 0; to < 32; ++to)
          if (Request *out = static_cast<Request *>(lanes[to]))
            for (int from = 0; from < 32; ++from) {
              char *at = static_cast<char *>(out->all) + from * out->bytes;
              if (Request *in = static_cast<Request *>(lanes[from]))
                memcpy(at, in->mine, out->bytes);
              else
                memset(at, 0, out->bytes);
            }
      },
      nullptr);
}

/// The last lane to arrive calls `function` with each lane's `value` pointer: for warp matrix operations.
static inline void kgen_host_warp_collective(void *value, kgen_host::WarpFunction function) {
  kgen_host::warpCollective(~0u, value, function, nullptr);
}

/// Queues a copy that happens at the wait; a null source fills with zeros.
static inline void kgen_host_async_copy(void *dst, const void *src, size_t bytes) {
  kgen_host::asyncCopy(dst, src, bytes);
}
static inline void kgen_host_async_commit() { kgen_host::asyncCommit(); }
/// Waits until at most `pending` committed groups are in flight.
static inline void kgen_host_async_wait(int pending) { kgen_host::asyncWait(unsigned(pending)); }

#endif
