//! Processor time of processes, from the kernel.

use std::fs::{read_dir, read_to_string};

use crate::outcome::{Outcome, count};

/// Clock ticks per second in the interface of the kernel.
const TICKS_PER_SECOND: f64 = 100.0;

/// Processor time of a set of processes so far, in seconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcessorTime(f64);

impl ProcessorTime {
    /// Returns the time of this process and its ended children.
    pub(crate) fn of_this_process() -> Outcome<Self> {
        Ok(Self(own(std::process::id()).ok_or("the kernel says nothing of this process")?))
    }

    /// Returns the time of a process and its children, including ended ones.
    pub(crate) fn by(process: u32) -> Outcome<Self> {
        let of_process = own(process).ok_or_else(|| format!("there is no process {process}"))?;
        let children = read_dir("/proc")?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let of_children = children.filter(|child| parent(*child) == Some(process)).filter_map(own);
        Ok(Self(of_process + of_children.sum::<f64>()))
    }

    /// Returns the microseconds since an earlier value for each of so many operations.
    pub(crate) fn micros_each(self, since: Self, many: usize) -> f64 {
        (self.0 - since.0) * 1e6 / count(many.max(1))
    }
}

/// Returns user and system time of a process and its ended children.
fn own(process: u32) -> Option<f64> {
    let ticks = fields(process)?.split_whitespace().skip(11).take(4).map(str::parse::<f64>).sum::<Result<f64, _>>();
    Some(ticks.ok()? / TICKS_PER_SECOND)
}

fn parent(process: u32) -> Option<u32> {
    fields(process)?.split_whitespace().nth(1)?.parse().ok()
}

/// Returns the fields after the process name, which may contain any character: state, parent and so on.
fn fields(process: u32) -> Option<String> {
    // The process may have ended meanwhile.
    let stat = read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit(')').next().map(str::to_owned)
}
