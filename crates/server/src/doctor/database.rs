//! Check of the database: connection, version, schema and settings.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use inboxd_core::model::DkimKey;
use inboxd_core::ports::{Clock, DomainReads as _, StoreError};
use inboxd_core::rules::domains::signing_domain::signing_domains;
use inboxd_postgres::embedded::{self, Embedded};
use inboxd_postgres::{DatabaseDiagnosis, diagnose};
use tempfile::TempDir;
use time::Duration;

use super::{Finding, state};
use crate::config::Config;
use crate::environment::SystemClock;

const CHECK: &str = "database";
/// Oldest supported major version of PostgreSQL.
const MIN_MAJOR_VERSION: u32 = 14;

/// Results of the database check.
pub(super) struct Examined {
    pub(super) findings: Vec<Finding>,
    /// Lead of the database clock over the local clock, if known.
    pub(super) ahead: Option<Duration>,
    /// DKIM keys of the service domains.
    pub(super) keys: Vec<DkimKey>,
}

impl Examined {
    fn only(finding: Finding) -> Self {
        Self { findings: vec![finding], ahead: None, keys: Vec::new() }
    }
}

/// Checks the configured or the embedded database.
pub(super) async fn examine(config: &Config) -> Examined {
    match &config.database_url {
        Some(url) => asked(config, url.reveal(), "INBOXD_DATABASE_URL").await,
        None if config.data_dir.join("postgres").exists() => own(config).await,
        None => tried(&config.data_dir).await,
    }
}

/// Joins the embedded server of the data directory, or starts it for the duration of the check.
async fn own(config: &Config) -> Examined {
    match start(&config.data_dir).await {
        Ok(server) => {
            let examined = asked(config, &server.url(), "the embedded database").await;
            stopped(server, examined).await
        }
        Err(finding) => Examined::only(finding),
    }
}

/// Tests in a temporary folder whether an embedded database can be created.
async fn tried(data_dir: &Path) -> Examined {
    let scratch = match scratch() {
        Ok(scratch) => scratch,
        Err(error) => {
            let found = format!("no folder can be created in {}: {error}", std::env::temp_dir().display());
            return Examined::only(Finding::fail(
                CHECK,
                found,
                "free some space there, or set TMPDIR to another folder",
            ));
        }
    };
    let examined = match start(scratch.path()).await {
        Ok(server) => {
            let place = data_dir.display();
            let finding =
                Finding::ok(CHECK, format!("PostgreSQL can be started; `inboxd serve` will create one in {place}"));
            stopped(server, Examined::only(finding)).await
        }
        Err(finding) => Examined::only(finding),
    };
    drop(scratch);
    match unwritable(data_dir) {
        Some(folder) => Examined::only(Finding::fail(
            CHECK,
            format!("{} cannot be created: {} is not writable", data_dir.display(), folder.display()),
            "let this user write to the folder, or set INBOXD_DATA_DIR to another one",
        )),
        None => examined,
    }
}

/// Creates a temporary folder under an unpredictable name; drop deletes it. Other accounts may neither write nor list
/// it. They may traverse it, because a server that root starts runs as another account.
fn scratch() -> std::io::Result<TempDir> {
    tempfile::Builder::new().prefix("inboxd-doctor-").permissions(Permissions::from_mode(0o711)).tempdir()
}

async fn start(data_dir: &Path) -> Result<Embedded, Finding> {
    let options = embedded::EmbeddedOptions { data_dir: data_dir.to_owned(), durable: true };
    // These errors already contain the remedy.
    embedded::start(&options).await.map_err(|error| Finding::fail(CHECK, error.to_string(), ""))
}

async fn stopped(server: Embedded, examined: Examined) -> Examined {
    match server.stop().await {
        Ok(()) => examined,
        Err(error) => Examined::only(Finding::fail(CHECK, error.to_string(), "end that process")),
    }
}

/// Returns the nearest existing ancestor of the data directory if it is not writable.
fn unwritable(data_dir: &Path) -> Option<PathBuf> {
    let whole = std::path::absolute(data_dir).ok()?;
    let nearest = whole.ancestors().find(|folder| folder.exists())?;
    // Permissions are insufficient evidence: the file system may be mounted read-only.
    let made = tempfile::Builder::new().prefix(".inboxd-doctor-").tempdir_in(nearest).and_then(TempDir::close);
    made.is_err().then(|| nearest.to_owned())
}

async fn asked(config: &Config, url: &str, whose: &str) -> Examined {
    let before = SystemClock.now();
    match diagnose(url).await {
        Err(error) => Examined::only(Finding::fail(
            CHECK,
            format!("{whose} cannot be reached: {error}"),
            "start it, permit connections of this machine and user, or set INBOXD_DATABASE_URL to another one",
        )),
        Ok(diagnosis) => {
            let after = SystemClock.now();
            // The database read its clock between the two local times; the midpoint is the best estimate.
            let ahead = diagnosis.now - (before + (after - before) / 2);
            let has_schema = diagnosis.missing.is_empty();
            let mut findings = judged(&diagnosis, whose);
            let keys = if has_schema {
                findings.extend(state::examine(config, url).await);
                keys(config, url).await.unwrap_or_default()
            } else {
                Vec::new()
            };
            Examined { findings, ahead: Some(ahead), keys }
        }
    }
}

/// Returns the keys that sign mail of the service domains.
async fn keys(config: &Config, url: &str) -> Result<Vec<DkimKey>, StoreError> {
    let store = inboxd_postgres::connect(url, 1).await?;
    let mut keys = Vec::new();
    for name in signing_domains(&config.domain, &config.signup_domain) {
        keys.extend(store.dkim_keys(None, name).await?);
    }
    Ok(keys)
}

fn judged(diagnosis: &DatabaseDiagnosis, whose: &str) -> Vec<Finding> {
    let DatabaseDiagnosis { version, major, missing, unknown, migrations, is_durable, .. } = diagnosis;
    let found = format!("{whose} is reachable, PostgreSQL {version}");
    if *major < MIN_MAJOR_VERSION {
        return vec![Finding::fail(CHECK, found, format!("use PostgreSQL {MIN_MAJOR_VERSION} or later"))];
    }
    let mut findings = vec![match missing.as_slice() {
        [] if !unknown.is_empty() => {
            let mend = "run the version of inboxd that made it, or a later one";
            Finding::fail(CHECK, format!("{found}, at the schema of a later version: {}", unknown.join(", ")), mend)
        }
        [] => Finding::ok(CHECK, format!("{found}, at the schema of this version")),
        all if all.len() == *migrations => {
            Finding::ok(CHECK, format!("{found}; it is empty, and `inboxd serve` will create the tables"))
        }
        some => Finding::warn(CHECK, format!("{found}, but lacks {}", some.join(", ")), "run `inboxd migrate`"),
    }];
    if !is_durable {
        let mend = "set fsync, full_page_writes and synchronous_commit to on in postgresql.conf";
        findings.push(Finding::warn(CHECK, "a power failure can lose mail that was accepted with 250", mend));
    }
    findings
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use inboxd_core::ports::Clock;

    use super::*;
    use crate::doctor::Level;

    fn diagnosis() -> DatabaseDiagnosis {
        DatabaseDiagnosis {
            version: "16.4".to_owned(),
            major: 16,
            missing: Vec::new(),
            unknown: Vec::new(),
            migrations: 2,
            is_durable: true,
            now: SystemClock.now(),
        }
    }

    #[test]
    fn a_database_is_judged_by_version_schema_and_care() {
        let table = [
            (diagnosis(), Level::Ok, "at the schema"),
            (DatabaseDiagnosis { major: 13, ..diagnosis() }, Level::Fail, "PostgreSQL 14 or later"),
            (DatabaseDiagnosis { is_durable: false, ..diagnosis() }, Level::Warn, "fsync"),
            (
                DatabaseDiagnosis { missing: vec!["one"], ..diagnosis() },
                Level::Warn,
                "lacks one. To mend: run `inboxd migrate`",
            ),
            (
                DatabaseDiagnosis { unknown: vec!["later".to_owned()], ..diagnosis() },
                Level::Fail,
                "of a later version: later",
            ),
            (DatabaseDiagnosis { missing: vec!["one", "two"], ..diagnosis() }, Level::Ok, "it is empty"),
        ];
        for (diagnosis, level, words) in table {
            let findings = judged(&diagnosis, "it");
            assert_eq!(findings.iter().map(|finding| finding.level).max(), Some(level), "{findings:?}");
            assert!(findings.iter().any(|finding| finding.to_string().contains(words)), "{findings:?}");
        }
    }

    #[test]
    fn scratch_folder_is_fresh_and_private() {
        let (one, other) = (scratch().unwrap(), scratch().unwrap());
        assert_ne!(one.path(), other.path());
        let process = std::process::id().to_string();
        assert!(!one.path().to_string_lossy().ends_with(&process), "a name that can be foreseen can be taken before");
        let mode = std::fs::metadata(one.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o711);
        let path = one.path().to_owned();
        drop(one);
        assert!(!path.exists());
    }

    #[test]
    fn a_data_directory_is_made_where_its_nearest_folder_can_be_written() {
        assert_eq!(unwritable(&std::env::temp_dir().join("a/b/c")), None);
        assert_eq!(unwritable(Path::new("/proc/a/b")), Some(PathBuf::from("/proc")));
    }
}
