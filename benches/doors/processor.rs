//! The processor time of a process and its children.

use std::fs;
use std::time::Duration;

/// User and system time of a process, of its children that run, and of those that ended. Linux alone tells.
pub(crate) fn processor_time(process: u32) -> Duration {
    let own = times(process).map_or(0, |(own, ended)| own + ended);
    let children = children(process).into_iter().filter_map(times).map(|(own, ended)| own + ended);
    // Linux counts in hundredths of a second.
    Duration::from_millis((own + children.sum::<u64>()) * 10)
}

/// The resident memory of a process and its children, in bytes.
pub(crate) fn resident_bytes(process: u32) -> u64 {
    let of = |process: u32| {
        let statm = fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
        statm.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
    };
    of(process) + children(process).into_iter().map(of).sum::<u64>()
}

fn children(process: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}

/// Ticks of the process, and of its children that ended.
fn times(process: u32) -> Option<(u64, u64)> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name stands in parentheses and may contain anything.
    let fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11).take(4);
    let ticks = fields.map(|field| field.parse::<u64>().ok()).collect::<Option<Vec<_>>>()?;
    match ticks[..] {
        [user, system, ended_user, ended_system] => Some((user + system, ended_user + ended_system)),
        _ => None,
    }
}
