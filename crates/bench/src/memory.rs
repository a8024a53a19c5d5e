//! Memory of processes, from the kernel.

use std::fs::read_to_string;

use crate::outcome::Outcome;

/// Returns the resident memory of a process in megabytes.
pub(crate) fn resident(process: u32) -> Outcome<f64> {
    status(process, "VmRSS:")
}

/// Returns the peak resident memory of a process in megabytes.
pub(crate) fn peak(process: u32) -> Outcome<f64> {
    status(process, "VmHWM:")
}

/// Returns the memory of all processes of a PostgreSQL in megabytes, with shared memory counted once.
pub(crate) fn of_postgres(postmaster: u32) -> Outcome<f64> {
    let mut kilobytes = 0.0;
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(process) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        // The process may have ended meanwhile.
        let Ok(stat) = read_to_string(format!("/proc/{process}/stat")) else { continue };
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)?.parse::<u32>().ok());
        if process == postmaster || parent == Some(postmaster) {
            let rollup = read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
            kilobytes += number(&rollup, "Pss:").unwrap_or_default();
        }
    }
    Ok(kilobytes / 1024.0)
}

fn status(process: u32, mark: &str) -> Outcome<f64> {
    let status = read_to_string(format!("/proc/{process}/status"))?;
    Ok(number(&status, mark).ok_or_else(|| format!("no {mark} of process {process}"))? / 1024.0)
}

/// Returns the kilobytes after a mark.
fn number(text: &str, mark: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix(mark))?.split_whitespace().next()?.parse().ok()
}
