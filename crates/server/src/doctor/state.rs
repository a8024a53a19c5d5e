//! Check of the shared state: the secret key of the database and the hold of the queue.

use super::Finding;
use crate::config::Config;
use crate::secret_key;

const KEY: &str = "secret key";

/// Compares the configured secret key with the one in use.
pub(super) async fn examine(config: &Config, url: &str) -> Vec<Finding> {
    // Another check reports an unreachable database.
    let Ok(store) = inboxd_postgres::connect(url, 1).await else { return Vec::new() };
    let Ok(stored) = store.secret_key_check().await else { return Vec::new() };
    let mut findings = vec![judge_key(config, stored)];
    if let Ok(Some(since)) = store.held_since().await {
        let mend = "send what waits with `inboxd admin queue release`, or give it up with `inboxd admin queue drop`";
        findings.push(Finding::warn("queue", format!("is held since {since}: nothing leaves"), mend));
    }
    findings
}

fn judge_key(config: &Config, stored: Option<[u8; 32]>) -> Finding {
    let mend = "set INBOXD_SECRET_KEY to the key of the processes that serve, or put its file into the data directory";
    match (secret_key::find(config.secret_key.as_ref(), &config.data_dir), stored) {
        (Err(failure), _) => Finding::fail(KEY, failure.to_string(), mend),
        (Ok(_), None) => Finding::ok(KEY, "the first start decides which one this database is used with"),
        (Ok(None), Some(_)) => Finding::fail(
            KEY,
            "the database is used with one, and INBOXD_SECRET_KEY and the data directory have none",
            mend,
        ),
        (Ok(Some(keys)), Some(stored)) if keys.is_of(&stored) => {
            Finding::ok(KEY, "is the one that this database is used with")
        }
        (Ok(Some(_)), Some(_)) => Finding::fail(KEY, "this database is used with another INBOXD_SECRET_KEY", mend),
    }
}
