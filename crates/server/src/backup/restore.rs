//! `inboxd admin restore`.

use std::path::{Path, PathBuf};

use inboxd_postgres::{ArchiveError, ArchiveStop, DatabaseRestore, is_known_step, is_unreleased_step};

use super::blobs;
use super::content::{BackupManifest, OpenedBackup};
use super::encryption::{DecryptionKeys, DecryptionOptions};
use super::key_file::{KeyFile, require_match};
use super::{is_standard, require_one_stream, until_signal};
use crate::admin::print;
use crate::config::{Config, SecretKey};
use crate::failure::{ErrorContext, Failure};
use crate::services::DatabaseServer;
use crate::starting::StopSignals;

/// Options of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct RestoreOptions {
    /// File of the database; `-` for standard input.
    #[arg(value_name = "FILE", required_unless_present_any = ["secret_key", "blobs"])]
    file: Option<PathBuf>,
    /// File of the secret key, which is put in place in the data directory.
    #[arg(long, value_name = "FILE")]
    secret_key: Option<PathBuf>,
    /// Restore without the secret key of the backup, which is lost.
    #[arg(long, conflicts_with = "secret_key")]
    without_secret_key: bool,
    /// File of the contents outside the database, which go to the configured store.
    #[arg(long, value_name = "FILE")]
    blobs: Option<PathBuf>,
    #[command(flatten)]
    decryption: DecryptionOptions,
}

/// Restores the database, the secret key or both, and holds the queue.
pub(crate) async fn restore(config: &Config, options: RestoreOptions) -> Result<(), Failure> {
    let RestoreOptions { file, secret_key, without_secret_key, blobs: objects_file, decryption } = options;
    require_one_stream(file.as_deref(), secret_key.as_deref(), objects_file.as_deref())?;
    let keys = DecryptionKeys::read(&decryption)?;
    let mut signals = StopSignals::install()?;
    let secret = secret_key.map(|path| OpenedBackup::open(&path, &keys)?.secret_key()).transpose()?;
    let Some(file) = file else {
        place_key(config, secret.as_ref())?;
        return match objects_file {
            Some(objects_file) => blobs::restore(config, &objects_file, &keys, &mut signals).await,
            None => Ok(()),
        };
    };

    let (opened, manifest) = {
        let keys = keys.clone();
        until_signal(&mut signals, &ArchiveStop::default(), move || open_whole(&file, &keys)).await?
    };
    require_known_schema(&manifest)?;
    if !without_secret_key {
        require_match(config, secret.as_ref(), manifest.secret_key_check.as_deref())?;
    }
    // Refusals come before the database is touched.
    let key_file = secret.as_ref().map(|secret| KeyFile::prepare(config, secret)).transpose()?.flatten();
    let server = DatabaseServer::start(config).await?;
    let restored = restore_database(&server, opened, &manifest, &mut signals).await;
    server.stop().await?;
    restored?;
    print(&format!("restored the database of {}, made by inboxd {}\n", manifest.created_at, manifest.program))?;
    if let Some(key_file) = key_file {
        let next = "the database is restored, and its secret key is not in place: put it there with `inboxd admin restore \
                    --secret-key FILE`";
        let place = key_file.put().map_err(|error| Failure::new(format!("{error}; {next}")))?;
        print(&format!("the secret key is in {}\n", place.display()))?;
    }
    if let Some(objects_file) = objects_file {
        blobs::restore(config, &objects_file, &keys, &mut signals).await?;
    }
    print(
        "the queue is held: check with `inboxd doctor` and start with `inboxd serve`; nothing is sent before `inboxd admin \
         queue release` or `inboxd admin queue drop`\n",
    )
}

/// Opens a backup after its manifest. A file is read to its end before, so that a damaged one changes nothing.
fn open_whole(file: &Path, keys: &DecryptionKeys) -> Result<(OpenedBackup, BackupManifest), Failure> {
    if !is_standard(file) {
        let mut opened = OpenedBackup::open(file, keys)?;
        opened.manifest()?;
        opened.verify()?;
    }
    let mut opened = OpenedBackup::open(file, keys)?;
    let manifest = opened.manifest()?;
    Ok((opened, manifest))
}

fn require_known_schema(manifest: &BackupManifest) -> Result<(), Failure> {
    let BackupManifest { schema_step, schema_program, program, .. } = manifest;
    if is_known_step(schema_step) {
        return Ok(());
    }
    if is_unreleased_step(schema_step) {
        return Err(Failure::new(format!(
            "the backup was made by a build before the first release ({schema_step}), and no version migrates it: restore it \
             with that build, and export the mail to keep through its API"
        )));
    }
    let version = schema_program.as_ref().unwrap_or(program);
    Err(Failure::new(format!(
        "the backup has the schema of inboxd {version} ({schema_step}), which is later than this version: restore it with that \
         version or a later one"
    )))
}

async fn restore_database(
    server: &DatabaseServer,
    mut opened: OpenedBackup,
    manifest: &BackupManifest,
    signals: &mut StopSignals,
) -> Result<(), Failure> {
    let name = server.name;
    let prepared = DatabaseRestore::prepare(&server.url, manifest.server_major, manifest.archive_major).await;
    let restore = prepared.context(name)?;
    let stop = ArchiveStop::default();
    let handle = stop.clone();
    until_signal(signals, &stop, move || {
        restore.read_from(opened.archive(), &handle).map_err(|error| match error {
            ArchiveError::Input(_) => opened.damaged(),
            error => Failure::new(format!("{name}: {error}; nothing was changed")),
        })
    })
    .await
}

/// Puts a secret key in place, without a database.
fn place_key(config: &Config, secret: Option<&SecretKey>) -> Result<(), Failure> {
    let Some(secret) = secret else { return Ok(()) };
    match KeyFile::prepare(config, secret)? {
        Some(key_file) => print(&format!("the secret key is in {}\n", key_file.put()?.display())),
        None => print("this secret key is in place already\n"),
    }
}
