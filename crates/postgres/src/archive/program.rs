//! Child processes of a dump or a restore.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use super::error::ArchiveError;
use super::stop::{ArchiveStop, locked};

/// Bytes of a copied piece.
const BUFFER_BYTES: usize = 64 * 1024;
/// Maximum bytes of a line of errors; longer ones quote content.
const MAX_LINE_BYTES: usize = 300;
/// Interval between two looks for the end of a program, between which another thread may kill it.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A running program whose errors are read. Drop kills it.
pub(super) struct Program {
    name: &'static str,
    child: Arc<Mutex<Child>>,
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
    errors: Option<JoinHandle<Option<String>>>,
}

impl Program {
    /// Starts a program, which `stop` can end.
    pub(super) fn start(name: &'static str, command: &mut Command, stop: &ArchiveStop) -> Result<Self, ArchiveError> {
        command.stderr(Stdio::piped());
        let child = stop.start(command).map_err(|source| ArchiveError::Run { program: name, source })?;
        let (input, output, errors) = {
            let mut child = locked(&child);
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        };
        let errors = errors.map(|errors| std::thread::spawn(move || first_error(errors)));
        Ok(Self { name, child, input, output, errors })
    }

    /// Returns the pipe to standard input, once.
    pub(super) fn take_input(&mut self) -> Result<ChildStdin, ArchiveError> {
        self.input.take().ok_or_else(|| self.without_pipe())
    }

    /// Returns the pipe from standard output, once.
    pub(super) fn take_output(&mut self) -> Result<ChildStdout, ArchiveError> {
        self.output.take().ok_or_else(|| self.without_pipe())
    }

    fn without_pipe(&self) -> ArchiveError {
        ArchiveError::Run { program: self.name, source: io::Error::other("it has no pipe") }
    }

    /// Waits for the end of the program.
    ///
    /// # Errors
    /// If it failed, with the line of its cause.
    pub(super) fn finish(mut self) -> Result<(), ArchiveError> {
        let ended = self.wait().map_err(|source| ArchiveError::Run { program: self.name, source })?;
        let line = self.errors.take().and_then(|reader| reader.join().ok()).flatten();
        if ended.success() { Ok(()) } else { Err(self.failure(ended, line)) }
    }

    fn wait(&self) -> io::Result<ExitStatus> {
        loop {
            let ended = locked(&self.child).try_wait()?;
            match ended {
                Some(status) => return Ok(status),
                None => std::thread::sleep(POLL_INTERVAL),
            }
        }
    }

    fn failure(&self, ended: ExitStatus, line: Option<String>) -> ArchiveError {
        ArchiveError::Failed { program: self.name, reason: line.unwrap_or_else(|| ended.to_string()) }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let mut child = locked(&self.child);
        // It may have ended, and then this does nothing.
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Reads all errors, and returns the first line with an error, or the first one. Lines after it follow from it or quote rows.
fn first_error(errors: ChildStderr) -> Option<String> {
    let (mut first, mut cause) = (None, None);
    let mut reader = BufReader::new(errors);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
        line.truncate(MAX_LINE_BYTES);
        let text = String::from_utf8_lossy(&line).trim().to_owned();
        if cause.is_none() && ["error:", "ERROR:", "FATAL:"].iter().any(|word| text.contains(word)) {
            cause = Some(text.clone());
        }
        first = first.or(Some(text));
        line.clear();
    }
    cause.or(first)
}

/// Copies all bytes, and returns their number.
///
/// # Errors
/// [`ArchiveError::Input`] or [`ArchiveError::Output`].
pub(super) fn copy(input: &mut dyn Read, output: &mut dyn Write) -> Result<u64, ArchiveError> {
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut copied = 0;
    loop {
        let length = match input.read(&mut buffer) {
            Ok(0) => return Ok(copied),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(ArchiveError::Input(error)),
        };
        output.write_all(&buffer[..length]).map_err(ArchiveError::Output)?;
        copied += length as u64;
    }
}
