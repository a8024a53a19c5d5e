//! Account of the server process: the current one, unless that is root.

use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::error::EmbeddedError;

/// Accounts of the server process when inboxd is root, in order of preference.
const UNPRIVILEGED: [&str; 2] = ["inboxd", "postgres"];
/// Account that programs without an account of their own share, so that each could read the database.
const SHARED: &str = "nobody";
/// Prefixes of variables that configure the server, contain secrets of inboxd, or belong to its service manager.
const WITHHELD: [&str; 6] = ["PG", "INBOXD_", "AWS_", "LISTEN_", "NOTIFY_", "WATCHDOG_"];

/// The account that runs the server and owns its folder.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServerAccount {
    uid: u32,
    gid: u32,
    switch: bool,
}

impl ServerAccount {
    /// Chooses the account of a folder. A folder whose owner is not root stays with it, so that the database of an
    /// ordinary user survives a start as root.
    pub(super) async fn of_folder(folder: &Path) -> Result<Self, EmbeddedError> {
        let own = id("-u", None).await?.ok_or(EmbeddedError::NoAccount)?;
        let shared = id("-u", Some(SHARED)).await?;
        if own != 0 && shared == Some(own) {
            return Err(EmbeddedError::SharedAccount);
        }
        if own != 0 {
            let gid = id("-g", None).await?.ok_or(EmbeddedError::NoAccount)?;
            return Ok(Self { uid: own, gid, switch: false });
        }
        if let Ok(metadata) = std::fs::metadata(folder)
            && metadata.uid() != 0
        {
            if shared == Some(metadata.uid()) {
                return Err(EmbeddedError::SharedOwner { folder: folder.to_owned() });
            }
            return Ok(Self { uid: metadata.uid(), gid: metadata.gid(), switch: true });
        }
        for name in UNPRIVILEGED {
            if let (Some(uid), Some(gid)) = (id("-u", Some(name)).await?, id("-g", Some(name)).await?) {
                return Ok(Self { uid, gid, switch: true });
            }
        }
        Err(EmbeddedError::NoAccount)
    }

    pub(super) fn uid(self) -> u32 {
        self.uid
    }

    /// Returns whether the account differs from that of inboxd.
    pub(super) fn is_switched(self) -> bool {
        self.switch
    }

    /// Changes the owner of a folder that was created as root.
    pub(super) fn change_owner(self, folder: &Path) -> std::io::Result<()> {
        if self.switch {
            std::os::unix::fs::chown(folder, Some(self.uid), Some(self.gid))?;
        }
        Ok(())
    }

    /// Creates a command that runs as the account in a folder.
    ///
    /// Its own process group keeps a Ctrl-C on the terminal away from the server, which inboxd stops itself. The
    /// environment lacks the variables of [`WITHHELD`].
    pub(super) fn command(self, program: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(folder).process_group(0);
        command.stdin(Stdio::null());
        without_private_variables(&mut command);
        command.env("LC_ALL", "C");
        if self.switch {
            command.env("HOME", folder).uid(self.uid).gid(self.gid);
        }
        command
    }

    /// Runs a shell script as the account in a folder; its arguments are `$1` and so on.
    pub(super) async fn shell(self, folder: &Path, script: &str, arguments: &[&Path]) -> Result<Output, EmbeddedError> {
        let mut command = self.command(Path::new("sh"), folder);
        command.args(["-c", script, "sh"]).args(arguments);
        run(command).await
    }
}

/// Creates the error of a folder that the account cannot use.
pub(super) fn unreachable(folder: PathBuf, account: ServerAccount) -> EmbeddedError {
    EmbeddedError::Unreachable { folder, uid: account.uid() }
}

/// Removes the variables of [`WITHHELD`] from the environment of a command.
pub(crate) fn without_private_variables(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if WITHHELD.iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(name);
        }
    }
}

/// Runs a command to its end and returns its output.
pub(super) async fn run(command: Command) -> Result<Output, EmbeddedError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let mut command = tokio::process::Command::from(command);
    command.kill_on_drop(true);
    command.output().await.map_err(|source| EmbeddedError::Run { program, source })
}

/// Runs `id` and parses its number; `None` for an unknown account.
async fn id(which: &str, name: Option<&str>) -> Result<Option<u32>, EmbeddedError> {
    let mut command = Command::new("id");
    command.arg(which).args(name).stdin(Stdio::null());
    let output = run(command).await?;
    let number = String::from_utf8_lossy(&output.stdout).trim().parse();
    Ok(number.ok().filter(|_| output.status.success()))
}
