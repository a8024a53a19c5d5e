//! Store of objects as files of a folder.

use std::collections::HashSet;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result as IoResult, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use inboxd_core::ports::{BlobError, BlobName, ListedBlob};
use time::OffsetDateTime;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::names::{is_segment, is_valid};
use crate::raw::{RawBlobs, already_exists, invalid_name};

/// End of the name of a file that is being written. It is a name like any other, so that a listing shows the remains of a
/// crash, which are then removed like any object without a row.
const DRAFT_SUFFIX: &str = "-new";
/// Maximum number of the draft of a file.
const MAX_DRAFTS: u32 = 100;
/// Maximum number of folders that are known as synced.
const MAX_SYNCED_FOLDERS: usize = 10_000;
/// Maximum threads that work with a folder at a time. A folder that hangs, such as one of a dead file server, leaves the
/// other threads for blocking work to the process.
const MAX_THREADS: usize = 64;

/// Store of objects as files of a folder: an object is the file of its name. Its folder must exist.
///
/// A file is written under a temporary name and synced, gets its name as a hard link, and then its folder is synced, so that an
/// object is whole and survives a crash once `put` has returned. Files belong to the account of the process alone (mode 0600).
#[derive(Debug, Clone)]
pub struct DirectoryBlobs {
    root: Arc<Path>,
    /// Permits for threads that work with the folder.
    threads: Arc<Semaphore>,
    synced: Arc<SyncedFolders>,
}

/// Folders with their names on the disk, in the folders above.
#[derive(Debug, Default)]
struct SyncedFolders(Mutex<HashSet<PathBuf>>);

impl SyncedFolders {
    fn contains(&self, folder: &Path) -> bool {
        self.lock().contains(folder)
    }

    fn add(&self, folder: &Path) {
        let mut folders = self.lock();
        if folders.len() >= MAX_SYNCED_FOLDERS {
            folders.clear();
        }
        folders.insert(folder.to_owned());
    }

    fn remove(&self, folder: &Path) {
        self.lock().remove(folder);
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DirectoryBlobs {
    /// Uses a folder.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self { root: root.into(), threads: Arc::new(Semaphore::new(MAX_THREADS)), synced: Arc::default() }
    }

    /// Runs work with the folder on a thread for blocking work. If the folder is gone, each error means that. A thread that
    /// hangs in the file system keeps its permit, also when its caller has given up.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> Result<T, BlobError> + Send + 'static,
    ) -> Result<T, BlobError> {
        let root = Arc::clone(&self.root);
        // The semaphore is never closed.
        let permit = Arc::clone(&self.threads).acquire_owned().await;
        let work = move || {
            let _permit = permit;
            let root: &Path = &root;
            std::fs::read_dir(root).map_err(|error| unavailable(root, &error))?;
            work(root)
        };
        spawn_blocking(work).await.unwrap_or_else(|error| Err(BlobError::Unavailable(error.to_string())))
    }
}

/// Creates the folder of a store if it is missing, and checks that this account may write in it.
///
/// # Errors
/// The error of the file system.
pub fn prepare_folder(root: &Path) -> IoResult<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(root)?;
    let probe = root.join(format!(".probe-{}", std::process::id()));
    let written = File::create(&probe).and_then(|file| file.sync_all());
    let removed = std::fs::remove_file(&probe);
    written?;
    // Another process with this id may have removed it, in a container of its own.
    ignore_error(ErrorKind::NotFound, removed)?;
    Ok(())
}

/// Returns the result of a call, or `None` if it failed with this kind of error.
fn ignore_error<T>(kind: ErrorKind, result: IoResult<T>) -> IoResult<Option<T>> {
    match result {
        Err(error) if error.kind() == kind => Ok(None),
        result => result.map(Some),
    }
}

#[async_trait]
impl RawBlobs for DirectoryBlobs {
    async fn put(&self, name: &BlobName, content: Bytes) -> Result<(), BlobError> {
        if !is_valid(&name.0) {
            return Err(invalid_name(name));
        }
        let (name, synced) = (name.clone(), Arc::clone(&self.synced));
        self.run(move |root| {
            let path = root.join(&name.0);
            let written = ignore_error(ErrorKind::AlreadyExists, write(root, &path, &content, &synced));
            written.map_err(|error| unavailable(&path, &error))?.ok_or_else(|| already_exists(&name))
        })
        .await
    }

    async fn get(&self, name: &BlobName, range: Option<Range<u64>>) -> Result<Bytes, BlobError> {
        if !is_valid(&name.0) {
            return Err(BlobError::Missing(name.clone()));
        }
        let name = name.clone();
        self.run(move |root| {
            let path = root.join(&name.0);
            let content =
                ignore_error(ErrorKind::NotFound, read(&path, range)).map_err(|error| unavailable(&path, &error))?;
            content.map(Bytes::from).ok_or(BlobError::Missing(name))
        })
        .await
    }

    async fn delete(&self, names: &[BlobName]) -> Result<(), BlobError> {
        let names: Vec<String> = names.iter().filter(|name| is_valid(&name.0)).map(|name| name.0.clone()).collect();
        let synced = Arc::clone(&self.synced);
        self.run(move |root| {
            for path in names.iter().map(|name| root.join(name)) {
                let removed = ignore_error(ErrorKind::NotFound, std::fs::remove_file(&path));
                removed.map_err(|error| unavailable(&path, &error))?;
                remove_empty_folders(root, &path, &synced);
            }
            Ok(())
        })
        .await
    }

    async fn list(&self, after: Option<&BlobName>, limit: usize) -> Result<Vec<ListedBlob>, BlobError> {
        let after = after.map(|name| name.0.clone()).unwrap_or_default();
        self.run(move |root| {
            let mut listing = Listing { root, after: &after, limit, found: Vec::new() };
            listing.visit("").map_err(|error| unavailable(root, &error))?;
            Ok(listing.found)
        })
        .await
    }
}

fn unavailable(path: &Path, error: &Error) -> BlobError {
    BlobError::Unavailable(format!("{}: {error}", path.display()))
}

/// Writes a new file durably.
fn write(root: &Path, path: &Path, content: &[u8], synced: &SyncedFolders) -> IoResult<()> {
    if path.exists() {
        return Err(ErrorKind::AlreadyExists.into());
    }
    let folder = path.parent().unwrap_or(root);
    let (mut file, draft) = create_draft(root, path, synced)?;
    // A link refuses an existing name, also one of a concurrent writer.
    let written =
        file.write_all(content).and_then(|()| file.sync_all()).and_then(|()| std::fs::hard_link(&draft, path));
    // A draft that stays is removed like the remains of a crash.
    let _ = std::fs::remove_file(&draft);
    written.and_then(|()| sync_folder(folder))
}

/// Creates a draft of a file and its folders. The remains of interrupted writes keep their names, and a concurrent deletion
/// may remove an empty folder before the draft is in it.
fn create_draft(root: &Path, path: &Path, synced: &SyncedFolders) -> IoResult<(File, PathBuf)> {
    let folder = path.parent().unwrap_or(root);
    let (mut attempts, mut number) = (3, 0);
    loop {
        let draft = draft_of(path, number);
        let created = create_folders(root, folder, synced)
            .and_then(|()| OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft));
        match created {
            Ok(file) => return Ok((file, draft)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < MAX_DRAFTS => number += 1,
            Err(error) if error.kind() == ErrorKind::NotFound && attempts > 1 => attempts -= 1,
            Err(error) => return Err(error),
        }
    }
}

/// Returns the name of a draft of a file; the first one has no number.
fn draft_of(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(DRAFT_SUFFIX);
    if number > 0 {
        name.push(number.to_string());
    }
    name.into()
}

/// Creates the missing folders below the root durably, also those that another writer has created and not yet synced.
fn create_folders(root: &Path, folder: &Path, synced: &SyncedFolders) -> IoResult<()> {
    if folder == root || synced.contains(folder) && folder.is_dir() {
        return Ok(());
    }
    let above = folder.parent().unwrap_or(root);
    create_folders(root, above, synced)?;
    ignore_error(ErrorKind::AlreadyExists, DirBuilder::new().mode(0o700).create(folder))?;
    sync_folder(above)?;
    synced.add(folder);
    Ok(())
}

fn sync_folder(folder: &Path) -> IoResult<()> {
    File::open(folder)?.sync_all()
}

/// Removes the folders of a deleted file that became empty.
fn remove_empty_folders(root: &Path, path: &Path, synced: &SyncedFolders) {
    for folder in path.ancestors().skip(1).take_while(|folder| *folder != root) {
        if std::fs::remove_dir(folder).is_err() {
            return;
        }
        synced.remove(folder);
    }
}

/// Reads a file, or the existing bytes of a range.
fn read(path: &Path, range: Option<Range<u64>>) -> IoResult<Vec<u8>> {
    let Some(range) = range else { return std::fs::read(path) };
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(range.start))?;
    let mut content = Vec::new();
    file.take(range.end.saturating_sub(range.start)).read_to_end(&mut content)?;
    Ok(content)
}

/// Listing of a folder in the order of names.
struct Listing<'a> {
    root: &'a Path,
    after: &'a str,
    limit: usize,
    found: Vec<ListedBlob>,
}

impl Listing<'_> {
    /// Adds the objects below a folder, whose prefix ends with a slash or is empty.
    fn visit(&mut self, prefix: &str) -> IoResult<()> {
        for key in self.keys(prefix)? {
            if self.found.len() >= self.limit {
                break;
            }
            if key.ends_with('/') {
                // All names of the folder begin with its key.
                if self.after < key.as_str() || self.after.starts_with(&key) {
                    self.visit(&key)?;
                }
            } else if self.after < key.as_str() {
                self.add(key)?;
            }
        }
        Ok(())
    }

    /// Returns the sorted keys of a folder: names of its files, and of its folders with a final slash.
    fn keys(&self, prefix: &str) -> IoResult<Vec<String>> {
        let mut keys = Vec::new();
        let entries = ignore_error(ErrorKind::NotFound, std::fs::read_dir(self.root.join(prefix)))?;
        for entry in entries.into_iter().flatten() {
            let entry = entry?;
            let Some(name) = entry.file_name().to_str().filter(|name| is_segment(name)).map(str::to_owned) else {
                continue;
            };
            let end = if entry.file_type()?.is_dir() { "/" } else { "" };
            keys.push(format!("{prefix}{name}{end}"));
        }
        keys.sort_unstable();
        Ok(keys)
    }

    /// Adds an object, unless it was deleted meanwhile.
    fn add(&mut self, name: String) -> IoResult<()> {
        let modified = std::fs::metadata(self.root.join(&name)).and_then(|file| file.modified());
        let stored_at = ignore_error(ErrorKind::NotFound, modified)?.map(OffsetDateTime::from);
        self.found.extend(stored_at.map(|stored_at| ListedBlob { name: BlobName(name), stored_at }));
        Ok(())
    }
}
