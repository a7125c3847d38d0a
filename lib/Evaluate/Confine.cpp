//===- Confine.cpp - What a kernel on the host may ask of the system ------===//
//
// On a card, kernels cannot call the system. On the host they are native code
// in a process of ours, so that process gives up what it no longer needs. An
// allow-list: a call that is not on it ends the process.
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/Confine.h"

#include <cerrno>
#include <cstring>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

using namespace kgen;

std::string kgen::confineProcess() {
  const int allowed[] = {SYS_read,
                         SYS_write,
                         SYS_recvfrom,
                         SYS_sendto,
                         SYS_poll,
                         SYS_ppoll,
                         SYS_close,
                         SYS_mmap,
                         SYS_munmap,
                         SYS_mremap,
                         SYS_mprotect,
                         SYS_madvise,
                         SYS_brk,
                         SYS_futex,
                         SYS_exit,
                         SYS_exit_group,
                         SYS_rt_sigaction,
                         SYS_rt_sigprocmask,
                         SYS_rt_sigreturn,
                         SYS_sigaltstack,
                         SYS_clock_gettime,
                         SYS_gettimeofday,
                         SYS_nanosleep,
                         SYS_clock_nanosleep,
                         SYS_sched_yield,
                         SYS_getpid,
                         SYS_gettid,
                         SYS_getrandom,
                         SYS_set_robust_list,
                         SYS_rseq,
                         SYS_restart_syscall,
                         SYS_sched_getaffinity,
                         SYS_fstat,
                         SYS_newfstatat,
                         SYS_set_tid_address};
  std::vector<sock_filter> program;
  auto add = [&](unsigned short code, unsigned k, unsigned char yes = 0, unsigned char no = 0) {
    program.push_back({code, yes, no, k});
  };
  const unsigned load = BPF_LD | BPF_W | BPF_ABS, equal = BPF_JMP | BPF_JEQ | BPF_K, answer = BPF_RET | BPF_K;
  add(load, offsetof(seccomp_data, arch));
  add(equal, AUDIT_ARCH_X86_64, 1, 0);
  add(answer, SECCOMP_RET_KILL_PROCESS);
  add(load, offsetof(seccomp_data, nr));
  for (int call : allowed) {
    add(equal, unsigned(call), 0, 1);
    add(answer, SECCOMP_RET_ALLOW);
  }
  // glibc asks what it may live without: files for the number of cores, and clone3.
  for (int call : {SYS_openat, SYS_open, SYS_clone3, SYS_readlink, SYS_access, SYS_faccessat}) {
    add(equal, unsigned(call), 0, 1);
    add(answer, SECCOMP_RET_ERRNO | (call == SYS_clone3 ? ENOSYS : EACCES));
  }
  // abort() and raise(), to itself only.
  add(equal, SYS_tgkill, 0, 4);
  add(load, offsetof(seccomp_data, args[0]));
  add(equal, unsigned(getpid()), 0, 1);
  add(answer, SECCOMP_RET_ALLOW);
  add(answer, SECCOMP_RET_KILL_PROCESS);
  // Threads, but no processes.
  add(equal, SYS_clone, 0, 4);
  add(load, offsetof(seccomp_data, args[0]));
  add(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1);
  add(answer, SECCOMP_RET_ALLOW);
  add(answer, SECCOMP_RET_KILL_PROCESS);
  add(answer, SECCOMP_RET_KILL_PROCESS);
  sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    return std::string("system calls not filtered: ") + strerror(errno);
  return "system calls filtered";
}
