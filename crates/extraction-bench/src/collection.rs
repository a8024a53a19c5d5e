//! The collection of mails, with what is expected of each.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where the collection lies.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../mail/collection")
}

/// A mail of the collection.
#[derive(Debug)]
pub struct ExpectedMessage {
    /// The language it is written in, `en`.
    pub language: String,
    /// Its file without the ending, `gmail-short-answer`.
    pub name: String,
    /// The mail, octet for octet.
    pub raw: Vec<u8>,
    /// What is expected of it.
    pub expected: String,
}

impl ExpectedMessage {
    /// Language and name in one, fit for a file name.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}.{}", self.language, self.name)
    }
}

/// The mails below `folder`, a folder a language, with what the file of the same name and `ending` expects; in order of
/// their names.
///
/// # Errors
/// A folder or a file that cannot be read; a mail without its expectation, an expectation without its mail.
pub fn read(folder: &Path, ending: &str) -> io::Result<Vec<ExpectedMessage>> {
    let mut cases = Vec::new();
    for language in entries(folder)? {
        let files = entries(&language)?;
        let of = |ending: &str| -> Vec<PathBuf> {
            files.iter().filter(|file| file.extension().is_some_and(|found| found == ending)).cloned().collect()
        };
        let mails = of("eml");
        if mails.len() != of(ending).len() {
            return Err(io::Error::other(format!("{}: each .eml has its .{ending}, and no other", language.display())));
        }
        for mail in mails {
            cases.push(ExpectedMessage {
                language: last(&language),
                name: last(&mail.with_extension("")),
                raw: fs::read(&mail)?,
                expected: fs::read_to_string(mail.with_extension(ending))?,
            });
        }
    }
    Ok(cases)
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}

fn last(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
