//! Folder of the server and the paths in it.

use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::account::{ServerAccount, unreachable};
use super::error::EmbeddedError;
use super::{relocate, socket};

/// Prepares the folder for a start. The account runs it, so that root writes nothing there.
const PREPARE: &str = r#"
umask 077
mkdir -p "$1" 2>/dev/null
[ -p holders ] || mkfifo holders 2>/dev/null || [ -p holders ] || exit 1
: >>start.lock
: >>supervisor.lock
"#;

/// An existing folder that the account can use.
#[derive(Debug)]
pub(super) struct ServerFolder {
    root: PathBuf,
    socket: PathBuf,
    account: ServerAccount,
    relocated: bool,
}

impl ServerFolder {
    /// Creates or finds the folder of a data directory.
    pub(super) async fn prepare(data_dir: &Path) -> Result<Self, EmbeddedError> {
        std::fs::create_dir_all(data_dir).map_err(EmbeddedError::file("create the data directory", data_dir))?;
        let data_dir = data_dir.canonicalize().map_err(EmbeddedError::file("find", data_dir))?;
        let place = data_dir.join("postgres");
        let mut root = relocate::target(&place).unwrap_or_else(|| place.clone());
        let mut account = claim(&root).await?;
        if !is_usable(&root, account).await? {
            root = relocate::relocate(&place, &root, account)?;
            account = claim(&root).await?;
            if !is_usable(&root, account).await? {
                return Err(unreachable(root, account));
            }
        }
        let socket = socket::folder(&root);
        if !socket.starts_with(&root) {
            socket::create(&socket, account)?;
        }
        let home = Self { relocated: root != place, root, socket, account };
        let prepared = account.shell(&home.root, PREPARE, &[&home.socket]).await?;
        if !prepared.status.success() {
            return Err(unreachable(home.root, account));
        }
        socket::check(&home.socket, account)?;
        Ok(home)
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn account(&self) -> ServerAccount {
        self.account
    }

    pub(super) fn socket(&self) -> &Path {
        &self.socket
    }

    pub(super) fn relocated(&self) -> Option<&Path> {
        self.relocated.then_some(self.root.as_path())
    }

    pub(super) fn cluster(&self) -> PathBuf {
        self.root.join("cluster")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.root.join("server.log")
    }

    pub(super) fn holders(&self) -> PathBuf {
        self.root.join("holders")
    }

    pub(super) fn start_lock(&self) -> PathBuf {
        self.root.join("start.lock")
    }

    pub(super) fn supervisor_lock(&self) -> PathBuf {
        self.root.join("supervisor.lock")
    }
}

/// Creates the folder if it is missing, and changes its owner to the account.
async fn claim(root: &Path) -> Result<ServerAccount, EmbeddedError> {
    DirBuilder::new().recursive(true).mode(0o700).create(root).map_err(EmbeddedError::file("create", root))?;
    let account = ServerAccount::of_folder(root).await?;
    if std::fs::metadata(root).is_ok_and(|metadata| metadata.uid() == account.uid()) {
        return Ok(account);
    }
    // A file system without owners refuses; the later test of access then decides.
    if let Err(error) = account.change_owner(root) {
        tracing::debug!(folder = %root.display(), %error, "owner of database folder not changed");
    }
    Ok(account)
}

/// Tests whether the account can enter the folder and write there. Only an attempt covers the permissions of all
/// parents, access lists and read-only file systems.
async fn is_usable(root: &Path, account: ServerAccount) -> Result<bool, EmbeddedError> {
    const PROBE: &str = r#"cd -- "$1" && : >".probe.$$" && rm ".probe.$$""#;
    let output = account.shell(Path::new("/"), PROBE, &[root]).await?;
    Ok(output.status.success())
}
