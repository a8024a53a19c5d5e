//! Creation of the database folder.

use std::path::Path;

use super::account::run;
use super::binaries::{ServerBinaries, last_lines};
use super::connection::USER;
use super::error::EmbeddedError;
use super::hold::StartLock;
use super::home::ServerFolder;

/// Creates the cluster under a temporary name and renames it when complete and on disk, so that an interrupted one is
/// created again and never used. The only access is the socket, whose folder restricts it.
///
/// `initdb` syncs a thousand files one by one, which takes seconds while other programs write. If the system can sync a
/// whole file system (`sync -f`), that takes a fraction.
const INIT: &str = r#"
set -e
umask 077
rm -rf cluster.new
"$1" --no-sync --pgdata=cluster.new --username="$2" --encoding=UTF8 --locale=C --auth=trust
echo 'local all all trust' >cluster.new/pg_hba.conf
[ "$3" = fleeting ] || sync -f cluster.new 2>/dev/null || "$1" --sync-only --pgdata=cluster.new
mv cluster.new cluster
[ "$3" = fleeting ] || sync -f . 2>/dev/null || sync
"#;

/// Creates the database folder unless it exists. The script holds the start lock too, as its input. If inboxd is killed
/// meanwhile, the next start waits for the end of the script.
pub(super) async fn ensure(
    home: &ServerFolder,
    binaries: &ServerBinaries,
    lock: &StartLock,
    durable: bool,
) -> Result<(), EmbeddedError> {
    if home.cluster().join("PG_VERSION").is_file() {
        return Ok(());
    }
    let initdb = binaries.initdb();
    let mut command = home.account().command(Path::new("sh"), home.root());
    command.args(["-c", INIT, "sh"]).arg(&initdb).args([USER, if durable { "durable" } else { "fleeting" }]);
    command.stdin(lock.share(home)?);
    let output = run(command).await?;
    if output.status.success() {
        return Ok(());
    }
    Err(EmbeddedError::Failed {
        program: initdb.display().to_string(),
        output: last_lines(&[output.stdout, output.stderr].concat(), 10),
    })
}
