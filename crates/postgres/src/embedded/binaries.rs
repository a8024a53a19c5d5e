//! Search for the programs of the server.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::account::{ServerAccount, run};
use super::error::EmbeddedError;
use super::home::ServerFolder;
use crate::server_check::MIN_MAJOR_VERSION;

/// Folder of Debian and its derivatives, with one subfolder per major version.
const DEBIAN: &str = "/usr/lib/postgresql";

/// A folder of server programs that the account can run.
#[derive(Clone, Debug)]
pub(super) struct ServerBinaries {
    folder: PathBuf,
    major: String,
}

impl ServerBinaries {
    pub(super) fn initdb(&self) -> PathBuf {
        self.folder.join("initdb")
    }

    pub(super) fn postgres(&self) -> PathBuf {
        self.folder.join("postgres")
    }
}

/// Returns the programs for a database: of the version that created it, or the first found for a new one.
pub(super) async fn find(home: &ServerFolder) -> Result<ServerBinaries, EmbeddedError> {
    let found = usable(home.account(), candidates().await).await;
    choose(&home.cluster(), version_of(&home.cluster()), found)
}

/// Returns `PATH`, then the folder of `pg_config`, then the newest one of Debian.
pub(crate) async fn candidates() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    let mut pg_config = Command::new("pg_config");
    pg_config.arg("--bindir");
    if let Ok(output) = run(pg_config).await {
        folders.push(String::from_utf8_lossy(&output.stdout).trim().into());
    }
    folders.extend(debian(Path::new(DEBIAN)));
    folders
}

/// Returns the folders below Debian's, newest major version first.
fn debian(parent: &Path) -> Vec<PathBuf> {
    let mut majors: Vec<u32> = std::fs::read_dir(parent)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    majors.sort_unstable_by(|a, b| b.cmp(a));
    majors.iter().map(|major| parent.join(major.to_string()).join("bin")).collect()
}

/// Returns the folders with both programs of a supported version, in the same order.
async fn usable(account: ServerAccount, folders: Vec<PathBuf>) -> Vec<ServerBinaries> {
    let mut found = Vec::new();
    for folder in folders {
        let programs = ["initdb", "postgres"];
        if !programs.iter().all(|name| folder.join(name).is_file()) {
            continue;
        }
        // Run as the account: a folder that it may not enter is unusable.
        let mut command = account.command(&folder.join("postgres"), Path::new("/"));
        command.arg("--version");
        let Ok(output) = run(command).await else {
            continue;
        };
        if let Some(major) = major(&String::from_utf8_lossy(&output.stdout)).filter(|major| is_supported(major)) {
            found.push(ServerBinaries { folder, major });
        }
    }
    found
}

fn is_supported(major: &str) -> bool {
    major.parse().is_ok_and(|major: u32| major >= MIN_MAJOR_VERSION)
}

/// Parses the major version of `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`.
pub(crate) fn major(version: &str) -> Option<String> {
    let number = version.split_once("(PostgreSQL) ")?.1;
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

/// Returns the major version that created a database, if it exists.
fn version_of(cluster: &Path) -> Option<String> {
    let text = std::fs::read_to_string(cluster.join("PG_VERSION")).ok()?;
    Some(text.trim().to_owned())
}

fn choose(cluster: &Path, wanted: Option<String>, found: Vec<ServerBinaries>) -> Result<ServerBinaries, EmbeddedError> {
    if found.is_empty() {
        return Err(EmbeddedError::MissingBinaries);
    }
    let mut majors: Vec<String> = found.iter().map(|it| it.major.clone()).collect();
    majors.dedup();
    let fits = |it: &ServerBinaries| wanted.as_ref().is_none_or(|wanted| *wanted == it.major);
    found.into_iter().find(fits).ok_or_else(|| EmbeddedError::WrongVersion {
        folder: cluster.to_owned(),
        found: majors.join(", "),
        wanted: wanted.unwrap_or_default(),
    })
}

/// Returns the last lines of a program's output, bounded, for an error.
pub(super) fn last_lines(text: &[u8], most: usize) -> String {
    let text = String::from_utf8_lossy(text);
    let lines: Vec<&str> = text.trim().lines().collect();
    let skipped = lines.len().saturating_sub(most);
    let last: Vec<&str> = lines.into_iter().skip(skipped).collect();
    last.join("\n")
}

/// Returns whether the server supports a setting, which depends on its build.
pub(super) async fn supports_setting(
    home: &ServerFolder,
    binaries: &ServerBinaries,
    name: &str,
    value: &str,
) -> Result<bool, EmbeddedError> {
    let mut command = home.account().command(&binaries.postgres(), home.root());
    command.arg("-D").arg(home.cluster());
    command.args(["-C", name, "-c", &format!("{name}={value}")]);
    let output = run(command).await?;
    Ok(output.status.success() && output.stdout.trim_ascii() == OsStr::new(value).as_encoded_bytes())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on says so")]

    use super::*;

    fn installed(major: &str) -> ServerBinaries {
        ServerBinaries { folder: Path::new(DEBIAN).join(major), major: major.to_owned() }
    }

    #[test]
    fn missing_binaries_error_names_package_on_one_line() {
        let error = choose(Path::new("/data"), None, Vec::new()).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("`apt-get install postgresql`"), "{text}");
        assert!(text.contains("INBOXD_DATABASE_URL"), "{text}");
        assert!(!text.contains('\n') && !text.contains("  "), "{text}");
    }

    #[test]
    fn new_database_uses_first_server_found() {
        let found = vec![installed("16"), installed("15")];
        let chosen = choose(Path::new("/data"), None, found).unwrap();
        assert_eq!(chosen.major, "16");
    }

    #[test]
    fn database_stays_with_its_version() {
        let found = vec![installed("17"), installed("15")];
        let chosen = choose(Path::new("/data"), Some("15".to_owned()), found).unwrap();
        assert_eq!(chosen.major, "15");
    }

    #[test]
    fn missing_version_error_names_package() {
        let found = vec![installed("17"), installed("17")];
        let error = choose(Path::new("/data"), Some("15".to_owned()), found).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("`apt-get install postgresql-15`"), "{text}");
        assert!(text.contains("only 17 is installed"), "{text}");
    }

    #[test]
    fn major_version_is_parsed_from_version_line() {
        let debian = "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n";
        assert_eq!(major(debian).as_deref(), Some("15"));
        assert_eq!(major("postgres (PostgreSQL) 18beta1").as_deref(), Some("18"));
        assert_eq!(major("something else"), None);
        assert_eq!(["9", "14", "15", "18"].map(is_supported), [false, false, true, true]);
    }

    #[tokio::test]
    async fn folder_without_both_programs_is_skipped() {
        let account = ServerAccount::of_folder(Path::new("/nowhere")).await.unwrap();
        let folders = vec![PathBuf::from("/"), PathBuf::from("/nowhere"), PathBuf::new()];
        assert!(usable(account, folders).await.is_empty());
    }

    #[test]
    fn newest_debian_version_comes_first() {
        let name = format!("inboxd-binaries-{}", std::process::id());
        let parent = std::env::temp_dir().join(name);
        for version in ["9", "17", "15", "common"] {
            std::fs::create_dir_all(parent.join(version)).unwrap();
        }
        let expected = ["17/bin", "15/bin", "9/bin"].map(|folder| parent.join(folder));
        assert_eq!(debian(&parent), expected);
        std::fs::remove_dir_all(&parent).unwrap();
        assert!(debian(&parent).is_empty());
    }

    #[test]
    fn only_last_lines_are_shown() {
        assert_eq!(last_lines(b"a\nb\nc\n", 2), "b\nc");
        assert_eq!(last_lines(b"", 2), "");
    }
}
