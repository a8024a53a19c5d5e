//! Limits of the child process: memory, processor time, files and system calls.

use std::io;

use rustix::process::{Resource, Rlimit, nice, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

/// Address space beyond that of the program, in bytes. With the program the child stays below 256 MB.
const MEMORY_BYTES: u64 = 224 * 1024 * 1024;
/// Seconds of processor time. The parent ends the child after as much time.
const PROCESSOR_SECONDS: u64 = 5;
/// Lower priority than that of the service.
const NICENESS: i32 = 10;

/// System calls that reading, computing and writing need. All others fail with `EPERM`: the child can open no file and no
/// socket, start no process and send no signal to another one.
const CALLS: &[i64] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_close,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Limits this process; the limits cannot be lifted again. Threads that run already keep their system calls.
///
/// # Errors
/// The system refuses a limit.
pub fn limit_process() -> io::Result<()> {
    nice(NICENESS)?;
    let limit = |resource, most| setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    limit(Resource::Core, 0)?;
    limit(Resource::Cpu, PROCESSOR_SECONDS)?;
    limit(Resource::As, address_space()?.saturating_add(MEMORY_BYTES))?;
    limit(Resource::Nofile, 3)?;
    let filter = filter().map_err(io::Error::other)?;
    seccompiler::apply_filter(&filter).map_err(io::Error::other)
}

/// Returns the size of the address space in bytes: the first field of `statm`, in pages (proc(5)).
fn address_space() -> io::Result<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm")?;
    let pages = statm.split(' ').next().and_then(|pages| pages.parse::<u64>().ok());
    let pages = pages.ok_or_else(|| io::Error::other("statm has no size"))?;
    Ok(pages.saturating_mul(u64::try_from(rustix::param::page_size()).unwrap_or(4096)))
}

fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: Vec<(i64, Vec<SeccompRule>)> = CALLS.iter().map(|call| (*call, Vec::new())).collect();
    // An abort for lack of memory sends a signal to the process itself.
    let own = u64::try_from(rustix::process::getpid().as_raw_nonzero().get()).unwrap_or_default();
    let is_own = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, own)?;
    rules.push((libc::SYS_tgkill, vec![SeccompRule::new(vec![is_own])?]));
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    let denied = u32::try_from(libc::EPERM).unwrap_or(1);
    let filter = SeccompFilter::new(
        rules.into_iter().collect(),
        SeccompAction::Errno(denied),
        SeccompAction::Allow,
        architecture,
    )?;
    filter.try_into()
}
