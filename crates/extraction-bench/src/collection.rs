//! Collection of messages with expected results.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the folder of the collection.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../mail/collection")
}

/// A message of the collection.
#[derive(Debug)]
pub struct ExpectedMessage {
    /// Language of the message, for instance `en`.
    pub language: String,
    /// File name without extension, for instance `gmail-short-answer`.
    pub name: String,
    /// Raw message.
    pub raw: Vec<u8>,
    /// Expected result.
    pub expected: String,
    /// Expected signature; empty without one.
    pub signature: String,
    /// Expected footer; empty without one.
    pub footer: String,
}

impl ExpectedMessage {
    /// Returns language and name, usable as a file name.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}.{}", self.language, self.name)
    }
}

/// Reads the messages below `folder`, which has a folder for each language, with the expected results in files of
/// extension `ending`.
///
/// The result is sorted by name.
///
/// # Errors
///
/// An unreadable folder or file, a message without an expected result, or the reverse.
pub fn read(folder: &Path, ending: &str) -> io::Result<Vec<ExpectedMessage>> {
    let mut cases = Vec::new();
    for language in entries(folder)? {
        let files = entries(&language)?;
        let of = |ending: &str| -> Vec<PathBuf> {
            files.iter().filter(|file| file.extension().is_some_and(|found| found == ending)).cloned().collect()
        };
        let mails = of("eml");
        if mails.len() != of(ending).len() {
            return Err(io::Error::other(format!("{}: each .eml needs exactly one .{ending}", language.display())));
        }
        for mail in mails {
            cases.push(ExpectedMessage {
                language: last(&language),
                name: last(&mail.with_extension("")),
                raw: fs::read(&mail)?,
                expected: fs::read_to_string(mail.with_extension(ending))?,
                signature: part(&mail.with_extension("signature"))?,
                footer: part(&mail.with_extension("footer"))?,
            });
        }
    }
    Ok(cases)
}

/// Reads an optional file.
fn part(file: &Path) -> io::Result<String> {
    if file.exists() { fs::read_to_string(file) } else { Ok(String::new()) }
}

/// Returns the paths in a folder, sorted.
pub(crate) fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}

/// Returns the last name of a path.
pub(crate) fn last(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
