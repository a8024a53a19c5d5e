//! Output of a backup: a new file that appears complete or not at all, or standard output.

use std::fs::File;
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::is_standard;
use crate::failure::{ErrorContext, Failure};

/// A file under a temporary name, which is removed on drop, or standard output.
pub(super) struct BackupOutput {
    path: PathBuf,
    draft: Option<TempPath>,
}

/// Bytes of an output.
pub(super) enum OutputWriter {
    File(File),
    Standard(io::Stdout),
}

impl BackupOutput {
    /// Creates the temporary file beside its later place, readable by its account alone.
    ///
    /// # Errors
    /// If the file exists, or cannot be created; for a terminal.
    pub(super) fn create(path: PathBuf) -> Result<(Self, OutputWriter), Failure> {
        if is_standard(&path) {
            let standard = io::stdout();
            if standard.is_terminal() {
                return Err(Failure::new("the terminal shows no encrypted bytes: name a file, or pipe the output"));
            }
            return Ok((Self { path, draft: None }, OutputWriter::Standard(standard)));
        }
        let shown = path.display();
        if path.symlink_metadata().is_ok() {
            return Err(exists(&path));
        }
        let draft = tempfile::Builder::new().prefix(".inboxd-backup-").tempfile_in(folder(&path));
        let (file, draft) = draft.context(format!("cannot create {shown}"))?.into_parts();
        Ok((Self { path, draft: Some(draft) }, OutputWriter::File(file)))
    }

    /// Gives the complete file its name. An existing file stays.
    pub(super) fn complete(self) -> Result<(), Failure> {
        let Some(draft) = self.draft else { return Ok(()) };
        draft.persist_noclobber(&self.path).map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => exists(&self.path),
            _ => Failure::new(format!("cannot create {}: {}", self.path.display(), error.error)),
        })?;
        sync_folder(&self.path)
    }

    /// Returns the name of a file; standard output has none.
    pub(super) fn file(&self) -> Option<&Path> {
        self.draft.is_some().then_some(self.path.as_path())
    }
}

impl OutputWriter {
    /// Writes all bytes to the disk.
    pub(super) fn sync(mut self) -> io::Result<()> {
        self.flush()?;
        match self {
            Self::File(file) => file.sync_all(),
            Self::Standard(_) => Ok(()),
        }
    }
}

impl Write for OutputWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Standard(standard) => standard.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Standard(standard) => standard.flush(),
        }
    }
}

/// Writes the entry of a new file in its folder to the disk.
pub(super) fn sync_folder(path: &Path) -> Result<(), Failure> {
    let synced = File::open(folder(path)).and_then(|folder| folder.sync_all());
    synced.context(format!("cannot sync the folder of {}", path.display()))
}

fn exists(path: &Path) -> Failure {
    Failure::new(format!("{} exists and stays as it is: name a new file", path.display()))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
