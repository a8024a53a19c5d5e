//! Spool file of a large message, unlinked so that it vanishes with the session or process.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;

use tokio::task::spawn_blocking;

/// Temporary file without a name.
#[derive(Debug)]
pub(super) struct SpoolFile {
    file: File,
    length: usize,
}

impl SpoolFile {
    /// Creates a file with its first bytes, which are moved out of `block`.
    pub(super) async fn create(folder: Option<&Path>, block: &mut Vec<u8>) -> io::Result<Self> {
        let folder = folder.map(Path::to_owned);
        let create = spawn_blocking(move || folder.map_or_else(tempfile::tempfile, tempfile::tempfile_in));
        let file = create.await.map_err(io::Error::other)??;
        Self { file, length: 0 }.append(block).await
    }

    /// Appends bytes, which are moved out of `block`.
    pub(super) async fn append(mut self, block: &mut Vec<u8>) -> io::Result<Self> {
        let bytes = std::mem::take(block);
        let written = spawn_blocking(move || {
            self.file.write_all(&bytes)?;
            self.length += bytes.len();
            Ok(self)
        });
        written.await.map_err(io::Error::other)?
    }

    /// Reads the whole message: the file, then the bytes that are not in it yet.
    pub(super) async fn read(mut self, rest: Vec<u8>) -> io::Result<Vec<u8>> {
        let read = spawn_blocking(move || {
            let mut content = Vec::with_capacity(self.length + rest.len());
            self.file.rewind()?;
            self.file.read_to_end(&mut content)?;
            content.extend_from_slice(&rest);
            Ok(content)
        });
        read.await.map_err(io::Error::other)?
    }
}
