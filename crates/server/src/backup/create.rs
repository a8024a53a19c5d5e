//! `inboxd admin backup`.

use std::path::PathBuf;

use inboxd_core::ports::Clock as _;
use inboxd_postgres::{ArchiveError, ArchiveStop, DatabaseDump, DatabaseFacts};
use time::OffsetDateTime;

use super::blobs::{self, BlobCounts};
use super::content::{BackupManifest, check_digits, write_secret_key};
use super::encryption::{EncryptionKeys, EncryptionOptions};
use super::output::{BackupOutput, OutputWriter};
use super::{require_one_stream, until_signal};
use crate::admin::print;
use crate::config::Config;
use crate::environment::SystemClock;
use crate::failure::{ErrorContext, Failure};
use crate::secret_key::{self, Keys};
use crate::services::DatabaseServer;
use crate::starting::StopSignals;
use crate::version::VERSION;

/// Options of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct BackupOptions {
    /// New file for the database; `-` for standard output.
    #[arg(value_name = "FILE", required_unless_present_any = ["secret_key", "blobs"])]
    file: Option<PathBuf>,
    /// New file for the secret key, without which parts of the database cannot be read. Store it apart from the database.
    #[arg(long, value_name = "FILE")]
    secret_key: Option<PathBuf>,
    /// New file for the contents outside the database, in the stores that the settings name.
    #[arg(long, value_name = "FILE")]
    blobs: Option<PathBuf>,
    #[command(flatten)]
    encryption: EncryptionOptions,
}

/// Writes the database, the secret key or both to new encrypted files.
pub(crate) async fn backup(config: &Config, options: BackupOptions) -> Result<(), Failure> {
    let BackupOptions { file, secret_key, blobs: objects_file, encryption } = options;
    require_one_stream(file.as_deref(), secret_key.as_deref(), objects_file.as_deref())?;
    let keys = EncryptionKeys::read(encryption)?;
    let mut signals = StopSignals::install()?;
    let mut saved = BlobCounts::default();
    let has_stream = [&file, &secret_key, &objects_file].into_iter().flatten().any(|path| super::is_standard(path));
    let mut lines = Vec::new();
    let key_output = match secret_key {
        Some(path) => {
            let (output, writer) = BackupOutput::create(path)?;
            if file.is_none() {
                require_key_of_database(config).await?;
            }
            write_key(config, &keys, writer)?;
            lines.extend(output.file().map(|file| format!("{}: the secret key; store it apart", file.display())));
            Some(output)
        }
        None => None,
    };
    if let Some(path) = file {
        let (output, writer) = BackupOutput::create(path)?;
        let server = DatabaseServer::start(config).await?;
        let written = write_database(config, &server, keys.clone(), writer, key_output.is_some(), &mut signals).await;
        server.stop().await?;
        let (bytes, at) = written?;
        lines.extend(output.file().map(|file| format!("{}: the database of {at}, {bytes} bytes", file.display())));
        output.complete()?;
    }
    // After the database: every object that its backup names is still there.
    match objects_file {
        Some(path) => {
            let (output, writer) = BackupOutput::create(path)?;
            saved = blobs::write(config, &keys, writer, &mut signals).await?;
            let BlobCounts { objects, bytes, .. } = saved;
            let name = output.file();
            lines.extend(name.map(|file| format!("{}: {objects} objects, {bytes} bytes", file.display())));
            output.complete()?;
        }
        None if config.blobs.store.is_some() || config.blobs.former.is_some() => {
            lines.push("contents outside the database are not saved: --blobs FILE saves them".to_owned());
        }
        None => {}
    }
    if let Some(output) = key_output {
        output.complete()?;
    }
    if !has_stream {
        print(&format!("{}\n", lines.join("\n")))?;
    }
    saved.require_whole()
}

fn write_key(config: &Config, keys: &EncryptionKeys, writer: OutputWriter) -> Result<(), Failure> {
    let secret = secret_key::find_secret(config.secret_key.as_ref(), &config.data_dir)?.ok_or_else(|| {
        let file = secret_key::file(&config.data_dir);
        Failure::new(format!("there is no secret key: neither INBOXD_SECRET_KEY nor {}", file.display()))
    })?;
    let mut writer = keys.encrypt(writer)?;
    write_secret_key(&secret, &mut writer)?;
    writer.finish().and_then(OutputWriter::sync).context("cannot write the secret key")
}

/// Writes the database, and returns the bytes of its archive and the time of the backup.
async fn write_database(
    config: &Config,
    server: &DatabaseServer,
    keys: EncryptionKeys,
    writer: OutputWriter,
    has_key: bool,
    signals: &mut StopSignals,
) -> Result<(u64, OffsetDateTime), Failure> {
    let at = SystemClock.now();
    let dump = DatabaseDump::prepare(&server.url).await.context(server.name)?;
    let facts = dump.facts();
    if has_key && let Some(check) = &facts.secret_key_check {
        require_key(config, check)?;
    }
    let manifest = BackupManifest {
        program: VERSION.to_owned(),
        schema_step: facts.schema_step.clone(),
        schema_program: facts.schema_program.clone(),
        created_at: at,
        server_major: facts.server_major,
        archive_major: dump.archive_major(),
        secret_key_check: facts.secret_key_check.as_ref().map(check_digits),
    };
    let name = server.name;
    let stop = ArchiveStop::default();
    let handle = stop.clone();
    let bytes = until_signal(signals, &stop, move || {
        let mut writer = keys.encrypt(writer)?;
        manifest.write(&mut writer)?;
        let bytes = dump.write_to(&mut writer, &handle).map_err(|error| match error {
            ArchiveError::Output(error) => Failure::new(format!("cannot write the backup: {error}")),
            error => Failure::new(format!("{name}: {error}")),
        })?;
        writer.finish().and_then(OutputWriter::sync).context("cannot write the backup")?;
        Ok(bytes)
    })
    .await?;
    Ok((bytes, at))
}

/// Refuses to save a secret key that is not that of the database, or cannot be compared with it.
async fn require_key_of_database(config: &Config) -> Result<(), Failure> {
    let server = DatabaseServer::start(config).await?;
    let facts = DatabaseFacts::read(&server.url).await.context(server.name);
    server.stop().await?;
    match facts.context("the secret key cannot be compared with the database, and is not saved")?.secret_key_check {
        Some(check) => require_key(config, &check),
        None => Ok(()),
    }
}

/// Refuses to save a secret key that is not that of the database.
fn require_key(config: &Config, check: &[u8; 32]) -> Result<(), Failure> {
    match secret_key::find_secret(config.secret_key.as_ref(), &config.data_dir)? {
        Some(secret) => secret_key::require_same(&Keys::of(&secret), *check, &config.data_dir),
        None => Ok(()),
    }
}
