//! Making the database folder itself.

use std::path::Path;

use super::EmbeddedError;
use super::account::run;
use super::binaries::{Binaries, last_lines};
use super::connection::USER;
use super::hold::StartLock;
use super::home::Home;

/// Made under another name and renamed when complete, so that an interrupted one is made afresh, never used. The only
/// way in is the socket, and its folder says who may.
const INIT: &str = r#"
set -e
umask 077
rm -rf cluster.new
"$1" --pgdata=cluster.new --username="$2" --encoding=UTF8 --locale=C --auth=trust ${3-}
echo 'local all all trust' >cluster.new/pg_hba.conf
mv cluster.new cluster
"#;

/// Makes the database folder unless it is there. The script holds the start lock too, as its input: should inboxd be
/// killed meanwhile, the next start waits until the script has ended.
pub(super) async fn ensure(
    home: &Home,
    binaries: &Binaries,
    lock: &StartLock,
    durable: bool,
) -> Result<(), EmbeddedError> {
    if home.cluster().join("PG_VERSION").is_file() {
        return Ok(());
    }
    let initdb = binaries.initdb();
    let mut command = home.account().command(Path::new("sh"), home.root());
    command.args(["-c", INIT, "sh"]).arg(&initdb).arg(USER);
    if !durable {
        command.arg("--no-sync");
    }
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
