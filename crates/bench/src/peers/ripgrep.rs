//! ripgrep over text in memory.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::outcome::{Outcome, ms};
use crate::peers::psql::Database;

/// Folder of the memory file system.
const MEMORY_FOLDER: &str = "/dev/shm";

/// Text in memory, one message a line, newest first. Dropping it deletes the file.
pub(crate) struct Text(tempfile::NamedTempFile);

impl Text {
    /// Writes the text of all messages of a table.
    pub(crate) fn of(database: &Database, table: &str) -> Outcome<Self> {
        let folder = if Path::new(MEMORY_FOLDER).is_dir() { MEMORY_FOLDER.into() } else { std::env::temp_dir() };
        let mut file = tempfile::Builder::new().prefix("inboxd-bench-").tempfile_in(folder)?;
        let text = format!("select translate(search_text, E'\\n\\r', '  ') from {table} order by at desc");
        let lines = database.stream(&text)?;
        std::io::copy(&mut BufReader::new(lines), &mut file)?;
        file.flush()?;
        if BufReader::new(File::open(file.path())?).lines().next().is_none() {
            return Err(format!("{table} holds no text").into());
        }
        Ok(Self(file))
    }

    /// Returns the time to find the newest fifty messages with a text, in milliseconds.
    pub(crate) fn find(&self, needle: &str) -> Outcome<f64> {
        let began = Instant::now();
        let status = Command::new("rg")
            .args(["--fixed-strings", "--max-count", "50", "--line-number", "--only-matching", needle])
            .arg(self.0.path())
            .stdout(Stdio::null())
            .status()
            .map_err(|error| format!("rg cannot be run: {error}; install ripgrep"))?;
        if status.success() { Ok(ms(began.elapsed())) } else { Err(format!("rg does not find {needle}").into()) }
    }
}
