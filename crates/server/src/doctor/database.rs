//! Check of the database: connection, version, schema and settings.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use inboxd_core::model::DkimKey;
use inboxd_core::model::certificate::CertificateState;
use inboxd_core::ports::{CertificateStore as _, Clock, DomainReads as _, StoreError};
use inboxd_core::rules::domains::signing_domain::signing_domains;
use inboxd_postgres::embedded::{self, Embedded};
use inboxd_postgres::{DatabaseDiagnosis, diagnose};
use tempfile::TempDir;
use time::Duration;

use super::{Finding, state};
use crate::certificates::acme_scope;
use crate::config::Config;
use crate::environment::SystemClock;

/// Name of the check.
pub(crate) const CHECK: &str = "database";

/// Results of the database check.
pub(crate) struct Examined {
    pub(crate) findings: Vec<Finding>,
    /// Lead of the database clock over the local clock, if known.
    pub(crate) ahead: Option<Duration>,
    /// DKIM keys of the service domains.
    pub(crate) keys: Vec<DkimKey>,
    /// Certificate by ACME, and the state of its orders; `None` without ACME.
    pub(crate) certificate: Option<CertificateState>,
}

impl Examined {
    fn only(finding: Finding) -> Self {
        Self { findings: vec![finding], ahead: None, keys: Vec::new(), certificate: None }
    }
}

/// Checks the configured or the embedded database.
pub(crate) async fn examine(config: &Config) -> Examined {
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
            let (keys, certificate) = if has_schema {
                findings.extend(state::examine(config, url).await);
                stored(config, url).await.unwrap_or_else(|error| {
                    let mend = "permit this user to read its tables, and repeat";
                    findings.push(Finding::fail(CHECK, format!("the keys of {whose} cannot be read: {error}"), mend));
                    Default::default()
                })
            } else {
                Default::default()
            };
            Examined { findings, ahead: Some(ahead), keys, certificate }
        }
    }
}

/// Returns the keys that sign mail of the service domains, and the state of the ACME certificate.
async fn stored(config: &Config, url: &str) -> Result<(Vec<DkimKey>, Option<CertificateState>), StoreError> {
    let store = inboxd_postgres::connect(url, 1).await?;
    let mut keys = Vec::new();
    for name in signing_domains(&config.domain, &config.signup_domain) {
        keys.extend(store.dkim_keys(None, name).await?);
    }
    let scope = config.tls.acme.as_ref().and_then(|acme| acme_scope(config, acme).ok());
    let certificate = match scope {
        Some(scope) => Some(store.load_certificate(&scope).await?),
        None => None,
    };
    Ok((keys, certificate))
}

fn judged(diagnosis: &DatabaseDiagnosis, whose: &str) -> Vec<Finding> {
    let DatabaseDiagnosis { version, refusal, missing, foreign, migrations, .. } = diagnosis;
    let found = format!("{whose} is reachable, PostgreSQL {version}");
    // These errors already contain the remedy.
    if let Some(refusal) = refusal {
        return vec![Finding::fail(CHECK, format!("{found}, but {refusal}"), "")];
    }
    let mut findings = vec![match (foreign, missing.as_slice()) {
        (Some(foreign), _) => Finding::fail(CHECK, format!("{found}, but {foreign}"), ""),
        (None, []) => Finding::ok(CHECK, format!("{found}, at the schema of this version")),
        (None, all) if all.len() == *migrations => {
            Finding::ok(CHECK, format!("{found}; it is empty, and `inboxd serve` will create the tables"))
        }
        (None, some) => Finding::warn(CHECK, format!("{found}, but lacks {}", some.join(", ")), "run `inboxd migrate`"),
    }];
    if diagnosis.may_use_standby {
        let mend = "add target_session_attrs=read-write to it";
        findings.push(Finding::warn(
            CHECK,
            "the URL names several hosts, and may lead to a standby after a failover",
            mend,
        ));
    }
    if !diagnosis.is_durable {
        let mend = "set fsync, full_page_writes and synchronous_commit to on in postgresql.conf";
        findings.push(Finding::warn(CHECK, "a power failure can lose mail that was accepted with 250", mend));
    }
    findings
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use inboxd_core::ports::Clock;
    use inboxd_postgres::{ForeignSchema, ServerError};

    use super::*;
    use crate::doctor::Level;

    fn diagnosis() -> DatabaseDiagnosis {
        DatabaseDiagnosis {
            version: "16.4".to_owned(),
            refusal: None,
            missing: Vec::new(),
            foreign: None,
            migrations: 2,
            may_use_standby: false,
            is_durable: true,
            now: SystemClock.now(),
        }
    }

    fn refused(error: ServerError) -> DatabaseDiagnosis {
        DatabaseDiagnosis { refusal: Some(error), ..diagnosis() }
    }

    fn later() -> ForeignSchema {
        ForeignSchema::Later { steps: vec!["later".to_owned()], program: Some("9.0".to_owned()) }
    }

    #[test]
    fn a_database_is_judged_by_version_schema_and_care() {
        let table = [
            (diagnosis(), Level::Ok, "at the schema"),
            (refused(ServerError::Version("14.9".to_owned())), Level::Fail, "15 or later: move the database"),
            (refused(ServerError::ReadOnly), Level::Fail, "target_session_attrs=read-write"),
            (
                DatabaseDiagnosis { may_use_standby: true, ..diagnosis() },
                Level::Warn,
                "add target_session_attrs=read-write",
            ),
            (DatabaseDiagnosis { is_durable: false, ..diagnosis() }, Level::Warn, "fsync"),
            (
                DatabaseDiagnosis { missing: vec!["one"], ..diagnosis() },
                Level::Warn,
                "lacks one. To mend: run `inboxd migrate`",
            ),
            (
                DatabaseDiagnosis { foreign: Some(later()), ..diagnosis() },
                Level::Fail,
                "of a later version (inboxd 9.0, later); run that version",
            ),
            (
                DatabaseDiagnosis {
                    foreign: Some(ForeignSchema::Unreleased),
                    missing: vec!["one", "two"],
                    ..diagnosis()
                },
                Level::Fail,
                "made by a build before the first release",
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
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(unwritable(&folder.path().join("a/b/c")), None);
        assert_eq!(unwritable(Path::new("/proc/a/b")), Some(PathBuf::from("/proc")));
    }
}
