//! Making the database folder itself.

use super::EmbeddedError;
use super::binaries::{Binaries, last_lines};
use super::connection::USER;
use super::home::Home;

/// Made under another name and renamed when complete, so that an interrupted one is made afresh, never used. The only
/// way in is the socket, and its folder says who may.
const INIT: &str = r#"
set -e
umask 077
rm -rf cluster.new
"$1" --pgdata=cluster.new --username="$2" --encoding=UTF8 --locale=C --auth=trust $3
echo 'local all all trust' >cluster.new/pg_hba.conf
mv cluster.new cluster
"#;

/// Makes the database folder unless it is there.
pub(super) async fn ensure(
    home: &Home,
    binaries: &Binaries,
    durable: bool,
) -> Result<(), EmbeddedError> {
    if home.cluster().join("PG_VERSION").is_file() {
        return Ok(());
    }
    let initdb = binaries.initdb();
    let sync = if durable { "" } else { "--no-sync" };
    let output = home
        .account()
        .shell(home.root(), INIT, &[&initdb, USER.as_ref(), sync.as_ref()])
        .await?;
    if output.status.success() {
        return Ok(());
    }
    Err(EmbeddedError::Failed {
        program: initdb.display().to_string(),
        output: last_lines(&[output.stdout, output.stderr].concat(), 10),
    })
}
