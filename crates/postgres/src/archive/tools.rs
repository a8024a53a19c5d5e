//! Search for the client programs of PostgreSQL.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::ArchiveError;
use crate::dial::DatabaseAddress;
use crate::embedded::binaries::{candidates, major};
use crate::embedded::without_private_variables;

const PROGRAMS: [&str; 3] = ["pg_dump", "pg_restore", "psql"];

/// Folder of client programs of one version, with the variables that connect them to a database.
pub(super) struct ClientTools {
    folder: PathBuf,
    pub(super) major: u32,
    variables: Vec<(&'static str, OsString)>,
}

/// The variables have a password.
impl fmt::Debug for ClientTools {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ClientTools").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl ClientTools {
    /// Finds the oldest programs that know a server of a major version: a later version reads and writes more, but its
    /// archives need a server of that version. The programs connect to the database of this URL.
    pub(super) async fn find(needed: u32, url: &str) -> Result<Self, ArchiveError> {
        let found: Vec<(u32, PathBuf)> = candidates().await.into_iter().filter_map(usable).collect();
        let tools = choose(needed, &found)?;
        let address = DatabaseAddress::parse(url).map_err(ArchiveError::Connect)?;
        let variables = address.client_variables(tools.major).await;
        let variables = variables.map_err(|error| ArchiveError::Connect(error.to_string()))?;
        Ok(Self { variables, ..tools })
    }

    /// Creates a command. The password of the database is in its environment, which other accounts cannot read, and not in
    /// its arguments.
    pub(super) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.folder.join(program));
        without_private_variables(&mut command);
        command.env("LC_ALL", "C").env("PGAPPNAME", "inboxd backup");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// Returns the major version of the programs in a folder, if all are there.
fn usable(folder: PathBuf) -> Option<(u32, PathBuf)> {
    if !PROGRAMS.iter().all(|name| is_program(&folder.join(name))) {
        return None;
    }
    let mut command = Command::new(folder.join("pg_dump"));
    command.arg("--version").env("LC_ALL", "C").stdin(Stdio::null());
    let output = command.output().ok()?;
    let major = major(&String::from_utf8_lossy(&output.stdout))?.parse().ok()?;
    Some((major, folder))
}

/// Returns whether a file is the program itself. Debian links the names in `/usr/bin` to a script that chooses a version.
fn is_program(path: &Path) -> bool {
    path.canonicalize().is_ok_and(|real| real.is_file() && real.file_name() == path.file_name())
}

fn choose(needed: u32, found: &[(u32, PathBuf)]) -> Result<ClientTools, ArchiveError> {
    let fitting = found.iter().filter(|(major, _)| *major >= needed).min_by_key(|(major, _)| *major);
    if let Some((major, folder)) = fitting {
        return Ok(ClientTools { folder: folder.clone(), major: *major, variables: Vec::new() });
    }
    let mut majors: Vec<String> = found.iter().map(|(major, _)| major.to_string()).collect();
    majors.dedup();
    let found =
        if majors.is_empty() { "none is installed".to_owned() } else { format!("only {} is", majors.join(", ")) };
    Err(ArchiveError::MissingTools { needed, found })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    fn installed(majors: &[u32]) -> Vec<(u32, PathBuf)> {
        majors.iter().map(|major| (*major, PathBuf::from(format!("/usr/lib/postgresql/{major}/bin")))).collect()
    }

    #[test]
    fn oldest_programs_that_know_the_server_are_chosen() {
        assert_eq!(choose(15, &installed(&[18, 17, 15, 14])).unwrap().major, 15);
        assert_eq!(choose(16, &installed(&[18, 17, 15])).unwrap().major, 17);
    }

    #[test]
    fn programs_older_than_the_server_are_refused_with_the_package() {
        let line = choose(17, &installed(&[15])).unwrap_err().to_string();
        assert!(line.contains("only 15 is") && line.contains("apt-get install postgresql-client-17"), "{line}");
        let line = choose(17, &[]).unwrap_err().to_string();
        assert!(line.contains("none is installed") && !line.contains('\n'), "{line}");
    }

    #[test]
    fn script_of_debian_is_no_program() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("pg_wrapper"), "").unwrap();
        std::os::unix::fs::symlink(folder.path().join("pg_wrapper"), folder.path().join("pg_dump")).unwrap();
        std::fs::write(folder.path().join("psql"), "").unwrap();
        assert!(!is_program(&folder.path().join("pg_dump")));
        assert!(is_program(&folder.path().join("psql")));
    }
}
