//! Server process, identified by its file `postmaster.pid`.

use std::path::Path;
use std::time::{Duration, Instant};

use super::account::run;
use super::error::EmbeddedError;
use super::home::ServerFolder;

/// Time limit of a shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_mins(1);

/// A live server process of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ServerProcess {
    pub(super) pid: u32,
    pub(super) stopping: bool,
}

/// Returns the running server of a folder, if there is one.
///
/// A process file that names a foreign process is removed, because PostgreSQL would refuse to start. Process ids are
/// reused often in a container. The caller holds the start lock.
pub(super) async fn running(home: &ServerFolder) -> Result<Option<ServerProcess>, EmbeddedError> {
    let file = home.cluster().join("postmaster.pid");
    let Some(postmaster) = std::fs::read_to_string(&file).ok().and_then(|text| parse(&text)) else {
        return Ok(None);
    };
    let Some(command) = command_line(postmaster.pid).await else {
        return Ok(None);
    };
    if is_ours(&command, &home.cluster()) {
        return Ok(Some(postmaster));
    }
    std::fs::remove_file(&file).map_err(EmbeddedError::file("remove", &file))?;
    Ok(None)
}

/// Returns the process id of the running server of a folder, without any lock. A stale process file stays.
pub(super) async fn alive(home: &ServerFolder) -> Option<u32> {
    let text = std::fs::read_to_string(home.cluster().join("postmaster.pid")).ok()?;
    let postmaster = parse(&text)?;
    let command = command_line(postmaster.pid).await?;
    is_ours(&command, &home.cluster()).then_some(postmaster.pid)
}

/// Shuts the server down in fast mode: open transactions are rolled back and all data is written. Returns when it has
/// ended.
pub(super) async fn shut_down(home: &ServerFolder) -> Result<(), EmbeddedError> {
    let begun = Instant::now();
    while let Some(postmaster) = running(home).await? {
        if begun.elapsed() > SHUTDOWN_TIMEOUT {
            return Err(EmbeddedError::NotStopped(postmaster.pid));
        }
        if !postmaster.stopping {
            signal(home, "INT", postmaster.pid).await?;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

/// Sends a signal; a process that has ended meanwhile is no error.
async fn signal(home: &ServerFolder, name: &str, pid: u32) -> Result<(), EmbeddedError> {
    let script = format!("kill -{name} {pid}");
    home.account().shell(home.root(), &script, &[]).await?;
    Ok(())
}

/// Parses the process file: the first line is the process id, the eighth the state.
fn parse(text: &str) -> Option<ServerProcess> {
    let mut lines = text.lines().map(str::trim);
    let pid = lines.next()?.parse().ok()?;
    let stopping = lines.nth(6) == Some("stopping");
    Some(ServerProcess { pid, stopping })
}

/// Returns the command line of a live process, with NUL or blanks between words.
async fn command_line(pid: u32) -> Option<Vec<u8>> {
    if Path::new("/proc/self/cmdline").exists() {
        // Empty for a zombie process.
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        return (!command.is_empty()).then_some(command);
    }
    let mut command = std::process::Command::new("ps");
    command.args(["-o", "args=", "-p", &pid.to_string()]);
    let output = run(command).await.ok()?;
    output.status.success().then_some(output.stdout)
}

/// Returns whether the command line names our folder.
fn is_ours(command: &[u8], cluster: &Path) -> bool {
    let folder = cluster.as_os_str().as_encoded_bytes();
    command.windows(folder.len()).any(|part| part == folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_file_yields_process_and_state() {
        let text = "4711\n/data/cluster\n1763730000\n5432\n/data/socket\n\n  123 456\nready   \n";
        let stopping = text.replace("ready   ", "stopping");
        assert_eq!(parse(text).map(|it| (it.pid, it.stopping)), Some((4711, false)));
        assert_eq!(parse(&stopping).map(|it| it.stopping), Some(true));
        assert_eq!(parse("4711\n").map(|it| it.pid), Some(4711));
        assert_eq!(parse(""), None);
        assert_eq!(parse("nonsense\n"), None);
    }

    #[test]
    fn process_on_our_folder_is_ours() {
        let command = b"/usr/lib/postgresql/15/bin/postgres\0-D\0/data/postgres/cluster\0-c\0port=5432\0";
        assert!(is_ours(command, Path::new("/data/postgres/cluster")));
        assert!(!is_ours(command, Path::new("/other/postgres/cluster")));
        assert!(!is_ours(b"", Path::new("/data/postgres/cluster")));
    }
}
