//! Content of a decrypted file: a line that says what it is, and then a manifest and an archive, or the secret key.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

use age::stream::StreamReader;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::encryption::{DecryptionKeys, damaged};
use super::is_standard;
use crate::config::SecretKey;
use crate::failure::{ErrorContext, Failure};

/// First line of a backup of the database, before its format.
const DATABASE: &str = "inboxd database backup, format ";
/// First line of a backup of the secret key, before its format.
const SECRET_KEY: &str = "inboxd secret key, format ";
/// First line of a backup of the contents outside the database, before its format.
const BLOBS: &str = "inboxd blobs backup, format ";
/// Format of all.
const FORMAT: &str = "1";
/// Maximum bytes of a line.
const MAX_LINE_BYTES: u64 = 16 * 1024;
/// Maximum bytes of an object.
const MAX_BLOB_BYTES: u64 = 2 << 30;
/// Bytes of a read from the encrypted file.
const BUFFER_BYTES: usize = 128 * 1024;

/// Second line of a backup of the database, in JSON; the archive of `pg_dump` follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BackupManifest {
    /// Version of the program that made the backup.
    pub(super) program: String,
    /// Last step of the schema.
    pub(super) schema_step: String,
    /// Version of the program that applied that step, if known.
    pub(super) schema_program: Option<String>,
    /// Beginning of the backup.
    #[serde(with = "time::serde::rfc3339")]
    pub(super) created_at: OffsetDateTime,
    /// Major version of the PostgreSQL server.
    pub(super) server_major: u32,
    /// Major version of `pg_dump`.
    pub(super) archive_major: u32,
    /// Check value of the secret key, in hex digits; `None` for a database that was never served.
    pub(super) secret_key_check: Option<String>,
}

impl BackupManifest {
    /// Writes the lines before the archive.
    pub(super) fn write(&self, output: &mut impl Write) -> Result<(), Failure> {
        let json = serde_json::to_string(self).context("the manifest")?;
        writeln!(output, "{DATABASE}{FORMAT}\n{json}").context("cannot write the backup")
    }
}

/// Line before the content of an object, in JSON. An empty line follows the last content.
#[derive(Debug, Serialize, Deserialize)]
struct BlobLine {
    name: String,
    bytes: u64,
}

/// Writes the line before the objects.
pub(super) fn write_blobs_head(output: &mut impl Write) -> Result<(), Failure> {
    writeln!(output, "{BLOBS}{FORMAT}").context("cannot write the backup")
}

/// Writes an object.
pub(super) fn write_blob(output: &mut impl Write, name: &str, content: &[u8]) -> Result<(), Failure> {
    let line = BlobLine { name: name.to_owned(), bytes: u64::try_from(content.len()).unwrap_or(u64::MAX) };
    let json = serde_json::to_string(&line).context("the line of an object")?;
    let written = writeln!(output, "{json}").and_then(|()| output.write_all(content));
    written.context("cannot write the backup")
}

/// Writes the end of the objects.
pub(super) fn write_blobs_end(output: &mut impl Write) -> Result<(), Failure> {
    writeln!(output).context("cannot write the backup")
}

/// Writes a backup of the secret key.
pub(super) fn write_secret_key(secret: &SecretKey, output: &mut impl Write) -> Result<(), Failure> {
    writeln!(output, "{SECRET_KEY}{FORMAT}\n{}", secret.to_hex()).context("cannot write the secret key")
}

/// Returns hex digits of a check value.
pub(super) fn check_digits(check: &[u8; 32]) -> String {
    SecretKey::from_bytes(*check).to_hex()
}

/// A decrypted file.
pub(super) struct OpenedBackup {
    name: String,
    content: BufReader<StreamReader<Box<dyn BufRead + Send>>>,
}

impl OpenedBackup {
    /// Opens a file, or standard input.
    pub(super) fn open(path: &Path, keys: &DecryptionKeys) -> Result<Self, Failure> {
        let (name, input): (_, Box<dyn Read + Send>) = if is_standard(path) {
            ("standard input".to_owned(), Box::new(std::io::stdin()))
        } else {
            let name = path.display().to_string();
            let file = File::open(path).context(format!("cannot open {name}"))?;
            (name, Box::new(file))
        };
        let input: Box<dyn BufRead + Send> = Box::new(BufReader::with_capacity(BUFFER_BYTES, input));
        let content = BufReader::with_capacity(BUFFER_BYTES, keys.decrypt(input, &name)?);
        Ok(Self { name, content })
    }

    /// Reads the manifest of a backup of the database.
    pub(super) fn manifest(&mut self) -> Result<BackupManifest, Failure> {
        self.require_kind(DATABASE, "the database")?;
        let line = self.line()?;
        serde_json::from_str(&line).context(format!("the manifest of {} cannot be read", self.name))
    }

    /// Reads the secret key.
    pub(super) fn secret_key(mut self) -> Result<SecretKey, Failure> {
        self.require_kind(SECRET_KEY, "the secret key")?;
        let secret = SecretKey::parse(&self.line()?);
        secret.ok_or_else(|| Failure::new(format!("{} has no secret key", self.name)))
    }

    /// Checks that the file is a backup of the contents outside the database.
    pub(super) fn require_blobs(&mut self) -> Result<(), Failure> {
        self.require_kind(BLOBS, "the contents outside the database")
    }

    /// Reads the next object; `None` behind the last one.
    pub(super) fn next_blob(&mut self) -> Result<Option<(String, Vec<u8>)>, Failure> {
        let line = self.line().map_err(|_| self.damaged_blobs())?;
        if line.is_empty() {
            return Ok(None);
        }
        let BlobLine { name, bytes } = serde_json::from_str(&line).map_err(|_| self.damaged_blobs())?;
        if bytes > MAX_BLOB_BYTES {
            return Err(self.damaged_blobs());
        }
        let mut content = Vec::new();
        let read = self.content.by_ref().take(bytes).read_to_end(&mut content);
        match read {
            Ok(read) if u64::try_from(read).ok() == Some(bytes) => Ok(Some((name, content))),
            _ => Err(self.damaged_blobs()),
        }
    }

    /// Returns the error of a file whose first objects are restored already.
    fn damaged_blobs(&self) -> Failure {
        Failure::new(format!(
            "{} is damaged or incomplete; the objects before the damage are restored: repeat the command with another copy",
            self.name
        ))
    }

    /// Returns the archive after the manifest.
    pub(super) fn archive(&mut self) -> &mut dyn Read {
        &mut self.content
    }

    /// Reads the rest and discards it.
    pub(super) fn verify(mut self) -> Result<(), Failure> {
        let read = std::io::copy(&mut self.content, &mut std::io::sink());
        read.map(drop).map_err(|_| damaged(&self.name))
    }

    /// Returns the error of an archive that cannot be read to its end.
    pub(super) fn damaged(&self) -> Failure {
        damaged(&self.name)
    }

    fn require_kind(&mut self, wanted: &str, wanted_name: &str) -> Result<(), Failure> {
        let (line, name) = (self.line()?, &self.name);
        match line.strip_prefix(wanted) {
            Some(FORMAT) => Ok(()),
            Some(format) => Err(Failure::new(format!(
                "{name} has format {format} of a later version of inboxd; restore it with that version"
            ))),
            None if [DATABASE, SECRET_KEY, BLOBS].iter().any(|kind| line.starts_with(kind)) => {
                Err(Failure::new(format!(
                    "{name} is not a backup of {wanted_name}: FILE is that of the database, --secret-key that of the secret key, --blobs that of \
                 the contents outside the database"
                )))
            }
            None => Err(Failure::new(format!("{name} is not a backup of inboxd"))),
        }
    }

    fn line(&mut self) -> Result<String, Failure> {
        let mut line = Vec::new();
        let read = self.content.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line);
        read.map_err(|_| damaged(&self.name))?;
        Ok(String::from_utf8_lossy(&line).trim_end().to_owned())
    }
}
