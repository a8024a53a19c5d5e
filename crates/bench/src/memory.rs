//! How much memory processes take, as the kernel counts it.

use std::fs::read_to_string;

use crate::outcome::Outcome;

/// Megabytes that a process has in memory now.
pub(crate) fn resident(process: u32) -> Outcome<f64> {
    status(process, "VmRSS:")
}

/// The most megabytes that it has had.
pub(crate) fn peak(process: u32) -> Outcome<f64> {
    status(process, "VmHWM:")
}

/// Megabytes of the processes of a PostgreSQL, what they share counted once, by the id of the first.
pub(crate) fn of_postgres(postmaster: u32) -> Outcome<f64> {
    let mut kilobytes = 0.0;
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(process) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        // A process may end while it is looked at.
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

/// Kilobytes behind a mark.
fn number(text: &str, mark: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix(mark))?.split_whitespace().next()?.parse().ok()
}
