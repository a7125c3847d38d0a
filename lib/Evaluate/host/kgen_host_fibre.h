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
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef __x86_64__
#error "device host runs on x86-64 only: the fibre switch is written for it"
#endif

namespace kgen_host {

enum { MaxThreads = 1024, StackBytes = 128 * 1024, Words = MaxThreads / 64 };

/// What a fibre waits for.
enum State : uint8_t { Ready, AtBarrier, AtWarp, Done };

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
  State state;
  unsigned mask;     ///< lanes of the warp-wide operation it waits at
  void *warpValue;   ///< its own operand, on its stack
  int barrierValue;  ///< operand of __syncthreads_count and its kin
  AsyncCopy *copies; ///< queue, kept between blocks
  unsigned copyCount, copyCapacity, openGroup;
};

struct Block {
  Fibre fibre[MaxThreads];
  char *stacks;
  unsigned count, current, live, atBarrier;
  uint64_t ready[Words];
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

static inline void setReady(unsigned i) { block.ready[i >> 6] |= 1ull << (i & 63); }
static inline void clearReady(unsigned i) { block.ready[i >> 6] &= ~(1ull << (i & 63)); }

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
  unsigned barrier = 0, warp = 0, done = 0, atBarrier = 0, atWarp = 0, gone = 0;
  for (unsigned i = 0; i < block.count; ++i)
    switch (block.fibre[i].state) {
    case AtBarrier: if (!barrier++) atBarrier = i; break;
    case AtWarp: if (!warp++) atWarp = i; break;
    case Done: if (!done++) gone = i; break;
    default: break;
    }
  char a[64], b[64];
  block.failed = true;
  if (warp) {
    nameThread(a, sizeof a, atWarp);
    unsigned missing = atWarp & ~31u;
    const char *where = "has left the kernel";
    for (unsigned i = missing; i < block.count && i < (missing | 31) + 1; ++i)
      if ((block.fibre[atWarp].mask >> (i & 31) & 1) &&
          (block.fibre[i].state != AtWarp || block.fibre[i].mask != block.fibre[atWarp].mask)) {
        missing = i;
        where = block.fibre[i].state == AtBarrier ? "waits at __syncthreads"
                : block.fibre[i].state == AtWarp  ? "waits with another lane mask"
                                                  : "has left the kernel";
        break;
      }
    nameThread(b, sizeof b, missing);
    snprintf(block.message, sizeof block.message,
             "deadlock: thread %s waits at a warp-wide operation with mask 0x%08x, thread %s %s", a,
             block.fibre[atWarp].mask, b, where);
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

static void fibreMain() {
  block.entry(block.entryContext);
  Fibre &self = block.fibre[block.current];
  self.state = Done;
  clearReady(block.current);
  if (--block.live == 0)
    leaveToMain();
  yield();
  __builtin_unreachable();
}

/// A barrier of the whole block. Threads that left the kernel do not count as arrived: code that
/// relies on it is refused, because CUDA leaves it undefined.
static __attribute__((noinline)) void barrier(int value) {
  Fibre &self = block.fibre[block.current];
  if (block.atBarrier == 0) {
    block.barrierSum = 0;
    block.barrierAnd = 1;
    block.barrierOr = 0;
  }
  block.barrierSum += value != 0;
  block.barrierAnd &= value != 0;
  block.barrierOr |= value != 0;
  self.state = AtBarrier;
  if (++block.atBarrier < block.count) {
    clearReady(block.current);
    yield();
    return;
  }
  block.atBarrier = 0;
  for (unsigned i = 0; i < block.count; ++i)
    block.fibre[i].state = Ready;
  for (unsigned i = 0; i < block.count; i += 64)
    block.ready[i >> 6] = block.count - i >= 64 ? ~0ull : (1ull << (block.count - i)) - 1;
  // Starts over at the first thread of the order, so that a missing barrier further on shows.
  unsigned first = block.descending ? block.count - 1 : 0;
  if (block.current != first)
    switchTo(first);
}

/// Waits until every lane of `mask` (that exists) is here; the last one calls `function`.
static __attribute__((noinline)) void warpCollective(unsigned mask, void *value, WarpFunction function, void *context) {
  unsigned me = block.current, base = me & ~31u;
  Fibre &self = block.fibre[me];
  unsigned lanes = block.count - base < 32 ? (1u << (block.count - base)) - 1 : ~0u;
  mask &= lanes;
  if (!(mask >> (me & 31) & 1)) {
    char name[64];
    nameThread(name, sizeof name, me);
    snprintf(block.message, sizeof block.message, "thread %s calls a warp-wide operation whose mask 0x%08x lacks it",
             name, mask);
    block.failed = true;
    leaveToMain();
  }
  self.mask = mask;
  self.warpValue = value;
  self.state = AtWarp;
  void *pointers[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    pointers[lane] = nullptr;
    if (!(mask >> lane & 1))
      continue;
    Fibre &other = block.fibre[base + lane];
    if (other.state != AtWarp || other.mask != mask) {
      clearReady(me);
      yield();
      return;
    }
    pointers[lane] = other.warpValue;
  }
  if (function)
    function(pointers, context);
  for (unsigned rest = mask; rest; rest &= rest - 1) {
    unsigned i = base + __builtin_ctz(rest);
    block.fibre[i].state = Ready;
    setReady(i);
  }
  unsigned first = base + (block.descending ? 31 - __builtin_clz(mask) : __builtin_ctz(mask));
  if (me != first)
    switchTo(first);
}

static bool makeStacks() {
  if (block.stacks)
    return true;
  size_t bytes = size_t(MaxThreads) * StackBytes;
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  block.stacks = static_cast<char *>(memory);
  // A guard page below each stack turns unbounded recursion into a fault.
  for (unsigned i = 0; i < MaxThreads; ++i)
    mprotect(block.stacks + size_t(i) * StackBytes, 4096, PROT_NONE);
  return true;
}

/// Runs `entry(context)` once per thread of one block. False: `block.message` says why not.
static bool runBlock(const unsigned dim[3], bool descending, void (*setThread)(unsigned), void (*entry)(void *),
                     void *context) {
  if (!makeStacks()) {
    snprintf(block.message, sizeof block.message, "no memory for the stacks of a block's threads");
    return false;
  }
  memcpy(block.dim, dim, sizeof block.dim);
  block.count = block.live = dim[0] * dim[1] * dim[2];
  block.descending = descending;
  block.failed = false;
  block.atBarrier = 0;
  block.entry = entry;
  block.entryContext = context;
  block.setThread = setThread;
  memset(block.ready, 0, sizeof block.ready);
  for (unsigned i = 0; i < block.count; ++i) {
    Fibre &fibre = block.fibre[i];
    fibre.state = Ready;
    fibre.copyCount = fibre.openGroup = 0;
    setReady(i);
    // Stacks a power of two apart would share cache sets: stagger their tops.
    char *top = block.stacks + size_t(i + 1) * StackBytes - (i * 5 % 61) * 64;
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
  return !block.failed;
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
  if (self.copyCount == self.copyCapacity) {
    self.copyCapacity = self.copyCapacity ? self.copyCapacity * 2 : 32;
    self.copies = static_cast<AsyncCopy *>(realloc(self.copies, self.copyCapacity * sizeof(AsyncCopy)));
  }
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
