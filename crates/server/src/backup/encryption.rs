//! Encryption of backup files in the age format, version 1 (age-encryption.org/v1), for a passphrase or a key pair.

use std::io::{BufRead, Read, Write};
use std::path::{Path, PathBuf};

use age::secrecy::SecretString;
use age::stream::{StreamReader, StreamWriter};
use age::x25519::{Identity, Recipient};
use age::{DecryptError, Decryptor, Encryptor, scrypt};

use crate::failure::{ErrorContext, Failure};

/// Binary logarithm of the work factor of scrypt, as in the program `age`: a second and 256 MB for each attempt.
const WORK_FACTOR: u8 = 18;
/// Maximum work factor of a file to read: 4 GB.
const MAX_WORK_FACTOR: u8 = 22;
/// Maximum bytes of a file with a passphrase or identities.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// Options of the encryption.
#[derive(Debug, clap::Args)]
pub(crate) struct EncryptionOptions {
    /// File with a passphrase in its first line.
    #[arg(long, value_name = "FILE", required_unless_present = "recipients", conflicts_with = "recipients")]
    passphrase_file: Option<PathBuf>,
    /// Public key of `age-keygen`, `age1…`, whose private key opens the backup; several are allowed.
    #[arg(id = "recipients", long = "recipient", value_name = "RECIPIENT")]
    recipients: Vec<Recipient>,
}

/// Options of the decryption.
#[derive(Debug, clap::Args)]
pub(crate) struct DecryptionOptions {
    /// File with the passphrase in its first line.
    #[arg(long, value_name = "FILE", required_unless_present = "identity", conflicts_with = "identity")]
    passphrase_file: Option<PathBuf>,
    /// File of `age-keygen` with the private key, `AGE-SECRET-KEY-1…`.
    #[arg(long, value_name = "FILE")]
    identity: Option<PathBuf>,
}

/// Keys that encrypt.
#[derive(Clone)]
pub(super) enum EncryptionKeys {
    Passphrase(SecretString),
    Recipients(Vec<Recipient>),
}

impl EncryptionKeys {
    /// Reads the keys of the options.
    pub(super) fn read(options: EncryptionOptions) -> Result<Self, Failure> {
        match options.passphrase_file {
            Some(file) => Ok(Self::Passphrase(passphrase(&file)?)),
            None => Ok(Self::Recipients(options.recipients)),
        }
    }

    /// Encrypts to an output; the end of the content must be announced with `finish`.
    pub(super) fn encrypt<W: Write>(&self, output: W) -> Result<StreamWriter<W>, Failure> {
        let writer = match self {
            Self::Passphrase(passphrase) => {
                let mut recipient = scrypt::Recipient::new(passphrase.clone());
                recipient.set_work_factor(WORK_FACTOR);
                let encryptor = Encryptor::with_recipients([&recipient as &dyn age::Recipient].into_iter());
                encryptor.context("cannot encrypt")?.wrap_output(output)
            }
            Self::Recipients(recipients) => {
                let recipients = recipients.iter().map(|recipient| recipient as &dyn age::Recipient);
                Encryptor::with_recipients(recipients).context("cannot encrypt")?.wrap_output(output)
            }
        };
        writer.context("cannot write the backup")
    }
}

/// Keys that decrypt.
#[derive(Clone)]
pub(super) enum DecryptionKeys {
    Passphrase(SecretString),
    Identities(Vec<Identity>),
}

impl DecryptionKeys {
    /// Reads the keys of the options.
    pub(super) fn read(options: &DecryptionOptions) -> Result<Self, Failure> {
        match (&options.passphrase_file, &options.identity) {
            (Some(file), _) => Ok(Self::Passphrase(passphrase(file)?)),
            (None, Some(file)) => Ok(Self::Identities(identities(file)?)),
            (None, None) => Err(Failure::new("--passphrase-file or --identity is needed")),
        }
    }

    /// Decrypts an input, whose name is for errors.
    pub(super) fn decrypt<R: BufRead>(&self, input: R, name: &str) -> Result<StreamReader<R>, Failure> {
        let decryptor = Decryptor::new_buffered(input).map_err(|error| refusal(&error, name))?;
        let opened = match self {
            Self::Passphrase(_) if !decryptor.is_scrypt() => {
                return Err(Failure::new(format!("{name} is encrypted for a key pair: use --identity")));
            }
            Self::Identities(_) if decryptor.is_scrypt() => {
                return Err(Failure::new(format!("{name} is encrypted with a passphrase: use --passphrase-file")));
            }
            Self::Passphrase(passphrase) => {
                let mut identity = scrypt::Identity::new(passphrase.clone());
                identity.set_max_work_factor(MAX_WORK_FACTOR);
                decryptor.decrypt([&identity as &dyn age::Identity].into_iter())
            }
            Self::Identities(identities) => {
                decryptor.decrypt(identities.iter().map(|identity| identity as &dyn age::Identity))
            }
        };
        opened.map_err(|error| refusal(&error, name))
    }
}

fn refusal(error: &DecryptError, name: &str) -> Failure {
    Failure::new(match error {
        DecryptError::DecryptionFailed | DecryptError::KeyDecryptionFailed => {
            format!("{name} cannot be opened with this passphrase")
        }
        DecryptError::NoMatchingKeys => format!("{name} cannot be opened with this identity"),
        DecryptError::InvalidMac => return damaged(name),
        DecryptError::Io(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return damaged(name),
        DecryptError::InvalidHeader | DecryptError::UnknownFormat => {
            format!("{name} is no backup, or its beginning is damaged")
        }
        error => format!("cannot open {name}: {error}"),
    })
}

/// Returns the error of an input with changed or missing bytes.
pub(super) fn damaged(name: &str) -> Failure {
    Failure::new(format!("{name} is damaged or incomplete; use another copy, nothing was changed"))
}

fn passphrase(file: &Path) -> Result<SecretString, Failure> {
    let text = small_file(file, "passphrase")?;
    let line = text.lines().next().unwrap_or_default();
    if line.is_empty() {
        return Err(Failure::new(format!("{} has no passphrase in its first line", file.display())));
    }
    Ok(SecretString::from(line.to_owned()))
}

fn identities(file: &Path) -> Result<Vec<Identity>, Failure> {
    let text = small_file(file, "identity")?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let found: Result<Vec<Identity>, _> = lines.map(str::parse).collect();
    found.ok().filter(|found| !found.is_empty()).ok_or_else(|| {
        let shown = file.display();
        Failure::new(format!("{shown} has no identity; `age-keygen` writes one, a line AGE-SECRET-KEY-1…"))
    })
}

fn small_file(file: &Path, kind: &str) -> Result<String, Failure> {
    let context = || format!("cannot read the {kind} in {}", file.display());
    let mut text = String::new();
    let opened = std::fs::File::open(file).context(context())?;
    opened.take(MAX_FILE_BYTES).read_to_string(&mut text).context(context())?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    fn sealed(keys: &EncryptionKeys, content: &[u8]) -> Vec<u8> {
        let mut writer = keys.encrypt(Vec::new()).unwrap();
        writer.write_all(content).unwrap();
        writer.finish().unwrap()
    }

    fn opened(keys: &DecryptionKeys, sealed: &[u8]) -> Result<Vec<u8>, String> {
        let mut content = Vec::new();
        let mut reader = keys.decrypt(sealed, "it").map_err(|failure| failure.to_string())?;
        reader.read_to_end(&mut content).map_err(|error| error.to_string())?;
        Ok(content)
    }

    #[test]
    fn content_opens_with_its_key_alone() {
        let (own, other) = (Identity::generate(), Identity::generate());
        let sealed = sealed(&EncryptionKeys::Recipients(vec![own.to_public()]), b"content");
        assert_eq!(opened(&DecryptionKeys::Identities(vec![other.clone(), own]), &sealed).unwrap(), b"content");
        let line = opened(&DecryptionKeys::Identities(vec![other]), &sealed).unwrap_err();
        assert!(line.contains("cannot be opened with this identity"), "{line}");
        let line = opened(&DecryptionKeys::Passphrase("x".to_owned().into()), &sealed).unwrap_err();
        assert!(line.contains("use --identity"), "{line}");
    }

    #[test]
    fn changed_or_missing_byte_is_an_error() {
        let own = Identity::generate();
        let keys = DecryptionKeys::Identities(vec![own.clone()]);
        let content = vec![7; 200_000];
        let sealed = sealed(&EncryptionKeys::Recipients(vec![own.to_public()]), &content);
        assert_eq!(opened(&keys, &sealed).unwrap(), content);
        for place in [0, 30, 100, sealed.len() / 2, sealed.len() - 1] {
            let mut changed = sealed.clone();
            changed[place] ^= 1;
            opened(&keys, &changed).unwrap_err();
            opened(&keys, &sealed[..place]).unwrap_err();
        }
        // The end of a chunk is no end of the content.
        let header = sealed.len() - content.len() - 4 * 16;
        opened(&keys, &sealed[..header + 65_536 + 16]).unwrap_err();
    }

    #[test]
    fn passphrase_and_identity_files_are_checked() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "\nsecond line\n").unwrap();
        assert!(passphrase(&file).is_err());
        let line = identities(&file).map(drop).unwrap_err().to_string();
        assert!(line.contains("age-keygen"), "{line}");
        std::fs::write(&file, "# created: today\nAGE-SECRET-KEY-1\n").unwrap();
        assert!(identities(&file).is_err());
    }
}
