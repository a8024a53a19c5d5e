//! How much time of the processors is taken, as the kernel counts it.

use std::fs::{read_dir, read_to_string};

use crate::outcome::{Outcome, count};

/// Ticks of a second, in what the kernel says to programs.
const TICKS: f64 = 100.0;

/// Processor time of some processes so far, in seconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spent(f64);

impl Spent {
    /// What this process has spent, with those children that have ended.
    pub(crate) fn by_this_one() -> Outcome<Self> {
        Ok(Self(own(std::process::id()).ok_or("the kernel says nothing of this process")?))
    }

    /// What a process and its children have spent, those that have ended too.
    pub(crate) fn by(process: u32) -> Outcome<Self> {
        let of_process = own(process).ok_or_else(|| format!("there is no process {process}"))?;
        let children = read_dir("/proc")?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let of_children = children.filter(|child| parent(*child) == Some(process)).filter_map(own);
        Ok(Self(of_process + of_children.sum::<f64>()))
    }

    /// Microseconds since an earlier moment, for each of so many mails or calls.
    pub(crate) fn micros_each(self, since: Self, many: usize) -> f64 {
        (self.0 - since.0) * 1e6 / count(many.max(1))
    }
}

/// User and system time of a process, and of those children that have ended and were waited for.
fn own(process: u32) -> Option<f64> {
    let ticks = fields(process)?.split_whitespace().skip(11).take(4).map(str::parse::<f64>).sum::<Result<f64, _>>();
    Some(ticks.ok()? / TICKS)
}

fn parent(process: u32) -> Option<u32> {
    fields(process)?.split_whitespace().nth(1)?.parse().ok()
}

/// What stands behind the name of the process, which may hold anything: its state, its parent and so on.
fn fields(process: u32) -> Option<String> {
    // A process may end while it is looked at.
    let stat = read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit(')').next().map(str::to_owned)
}
