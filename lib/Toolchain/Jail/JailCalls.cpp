//===- JailCalls.cpp - Seccomp filters ------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JailCalls.h"

#include <cerrno>
#include <csignal>
#include <iterator>
#include <linux/audit.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kgen;
using namespace kgen::toolchain;

namespace {

const unsigned load = BPF_LD | BPF_W | BPF_ABS, equal = BPF_JMP | BPF_JEQ | BPF_K, answer = BPF_RET | BPF_K;
const unsigned refused = SECCOMP_RET_ERRNO | EPERM;

/// Reaching other processes, the network, mounts, keys, the kernel; and links, so that nobody is led
/// to another file by what a jailed program left behind.
const int foreign[] = {SYS_socket,
                       SYS_socketpair,
                       SYS_connect,
                       SYS_bind,
                       SYS_listen,
                       SYS_accept,
                       SYS_accept4,
                       SYS_ptrace,
                       SYS_process_vm_readv,
                       SYS_process_vm_writev,
                       SYS_process_madvise,
                       SYS_kcmp,
                       SYS_kill,
                       SYS_tkill,
                       SYS_rt_sigqueueinfo,
                       SYS_rt_tgsigqueueinfo,
                       SYS_pidfd_open,
                       SYS_pidfd_send_signal,
                       SYS_pidfd_getfd,
                       SYS_setsid,
                       SYS_setpgid,
                       SYS_mount,
                       SYS_umount2,
                       SYS_pivot_root,
                       SYS_chroot,
                       SYS_setns,
                       SYS_unshare,
                       SYS_open_tree,
                       SYS_move_mount,
                       SYS_fsopen,
                       SYS_fsconfig,
                       SYS_fsmount,
                       SYS_fspick,
                       SYS_mount_setattr,
                       SYS_open_by_handle_at,
                       SYS_name_to_handle_at,
                       SYS_symlink,
                       SYS_symlinkat,
                       SYS_link,
                       SYS_linkat,
                       SYS_mknod,
                       SYS_mknodat,
                       SYS_bpf,
                       SYS_perf_event_open,
                       SYS_userfaultfd,
                       SYS_io_uring_setup,
                       SYS_io_uring_enter,
                       SYS_io_uring_register,
                       SYS_add_key,
                       SYS_request_key,
                       SYS_keyctl,
                       SYS_shmget,
                       SYS_shmat,
                       SYS_msgget,
                       SYS_semget,
                       SYS_mq_open,
                       SYS_fanotify_init,
                       SYS_inotify_init,
                       SYS_inotify_init1,
                       SYS_init_module,
                       SYS_finit_module,
                       SYS_delete_module,
                       SYS_kexec_load,
                       SYS_kexec_file_load,
                       SYS_reboot,
                       SYS_swapon,
                       SYS_swapoff,
                       SYS_acct,
                       SYS_quotactl,
                       SYS_syslog,
                       SYS_settimeofday,
                       SYS_clock_settime,
                       SYS_clock_adjtime,
                       SYS_adjtimex,
                       SYS_sethostname,
                       SYS_setdomainname,
                       SYS_iopl,
                       SYS_ioperm,
                       SYS_modify_ldt,
                       SYS_setuid,
                       SYS_setgid,
                       SYS_setreuid,
                       SYS_setregid,
                       SYS_setresuid,
                       SYS_setresgid,
                       SYS_setgroups,
                       SYS_capset};

/// What a program needs that only computes, once it is loaded.
const int computing[] = {SYS_read,
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

/// What a kernel on the host needs once it is loaded: it computes on memory that is there.
const int kernels[] = {SYS_exit, SYS_exit_group,     SYS_clock_gettime, SYS_gettimeofday,
                       SYS_brk,  SYS_rt_sigprocmask, SYS_getpid,        SYS_gettid};

#if __has_feature(address_sanitizer)
/// The sanitizer's run-time library works beside it.
const int sanitizing[] = {SYS_mmap,  SYS_munmap,       SYS_madvise,   SYS_mprotect,
                          SYS_futex, SYS_rt_sigaction, SYS_getrandom, SYS_sigaltstack};
#else
const int sanitizing[] = {SYS_exit};
#endif

class Filter {
public:
  std::vector<sock_filter> program;

  void add(unsigned short code, unsigned k, unsigned char yes = 0, unsigned char no = 0) {
    program.push_back({code, yes, no, k});
  }
  void begin() {
    add(load, offsetof(seccomp_data, arch));
    add(equal, AUDIT_ARCH_X86_64, 1, 0);
    add(answer, SECCOMP_RET_KILL_PROCESS);
    add(load, offsetof(seccomp_data, nr));
  }
  void on(int call, unsigned what) {
    add(equal, unsigned(call), 0, 1);
    add(answer, what);
  }
  /// abort() and raise(): signals to this process alone, WHAT otherwise. Only those that a program brings on itself
  /// (isForeignSignal): any other one that ends it came from outside.
  void onSignals(unsigned what) {
    const int own[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    const unsigned count = std::size(own);
    add(equal, SYS_tgkill, 0, 5 + count);
    add(load, offsetof(seccomp_data, args[0]));
    add(equal, unsigned(getpid()), 0, 1 + count);
    add(load, offsetof(seccomp_data, args[2]));
    for (unsigned i = 0; i < count; ++i)
      add(equal, unsigned(own[i]), count - i, 0);
    add(answer, what);
    add(answer, SECCOMP_RET_ALLOW);
  }
  /// CALL with any bit of MASK in its first argument gets SET, else CLEAR.
  void onFlags(int call, unsigned mask, unsigned set, unsigned clear) {
    add(equal, unsigned(call), 0, 4);
    add(load, offsetof(seccomp_data, args[0]));
    add(BPF_JMP | BPF_JSET | BPF_K, mask, 0, 1);
    add(answer, set);
    add(answer, clear);
  }
};

std::vector<sock_filter> refuseForeign(CallRules rules) {
  Filter f;
  f.begin();
  // The x32 numbers are other names for the same calls.
  f.add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1);
  f.add(answer, SECCOMP_RET_KILL_PROCESS);
  for (int call : foreign)
    f.on(call, refused);
  // Its flags lie in memory, where a filter cannot look; glibc falls back to clone.
  f.on(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
  const unsigned namespaces =
      CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  if (rules != CallRules::Program)
    for (int call : {SYS_execve, SYS_execveat})
      f.on(call, refused);
  if (rules == CallRules::OneProcess) {
    for (int call : {SYS_fork, SYS_vfork})
      f.on(call, refused);
    f.onFlags(SYS_clone, CLONE_THREAD, SECCOMP_RET_ALLOW, refused);
    f.onSignals(refused);
  } else {
    f.onFlags(SYS_clone, namespaces, refused, SECCOMP_RET_ALLOW);
    // Programs of a jail are not known yet; abort() ends one without it too.
    f.on(SYS_tgkill, refused);
  }
  f.add(answer, SECCOMP_RET_ALLOW);
  return f.program;
}

std::vector<sock_filter> computeOnly() {
  Filter f;
  f.begin();
  for (int call : computing)
    f.on(call, SECCOMP_RET_ALLOW);
  // glibc asks what it may live without: files for the number of cores, and clone3.
  for (int call : {SYS_openat, SYS_open, SYS_clone3, SYS_readlink, SYS_access, SYS_faccessat})
    f.on(call, SECCOMP_RET_ERRNO | (call == SYS_clone3 ? ENOSYS : EACCES));
  f.onSignals(SECCOMP_RET_KILL_PROCESS);
  // Threads, but no processes.
  f.onFlags(SYS_clone, CLONE_THREAD, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS);
  f.add(answer, SECCOMP_RET_KILL_PROCESS);
  return f.program;
}

std::vector<sock_filter> kernelOnly() {
  Filter f;
  f.begin();
  for (int call : kernels)
    f.on(call, SECCOMP_RET_ALLOW);
  for (int call : sanitizing)
    f.on(call, SECCOMP_RET_ALLOW);
  // What a kernel prints meets the limit of files: that is its end, with its own reason.
  f.add(equal, SYS_write, 0, 4);
  f.add(load, offsetof(seccomp_data, args[0]));
  f.add(equal, 1, 1, 0);
  f.add(answer, SECCOMP_RET_KILL_PROCESS);
  f.add(answer, SECCOMP_RET_ALLOW);
  // abort(), where a kernel ruined the heap.
  f.add(load, offsetof(seccomp_data, nr));
  f.onSignals(SECCOMP_RET_KILL_PROCESS);
  f.add(answer, SECCOMP_RET_KILL_PROCESS);
  return f.program;
}

} // namespace

std::vector<sock_filter> kgen::toolchain::makeCallFilter(CallRules rules) {
  switch (rules) {
  case CallRules::All:
    return {};
  case CallRules::Program:
  case CallRules::NoPrograms:
  case CallRules::OneProcess:
    return refuseForeign(rules);
  case CallRules::Compute:
    return computeOnly();
  case CallRules::Kernel:
    return kernelOnly();
  }
  return {};
}

int kgen::toolchain::installCallFilter(const std::vector<sock_filter> &program) {
  sock_fprog filter = {static_cast<unsigned short>(program.size()), const_cast<sock_filter *>(program.data())};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    return errno;
  return 0;
}
