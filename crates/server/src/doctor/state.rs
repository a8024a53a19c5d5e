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
        let mend = "send the queue with `inboxd admin queue release`, or discard it with `inboxd admin queue drop`";
        findings.push(Finding::warn("queue", format!("is held since {since}: nothing is sent"), mend));
    }
    findings
}

fn judge_key(config: &Config, stored: Option<[u8; 32]>) -> Finding {
    let mend = "set INBOXD_SECRET_KEY to the key of the serving processes, or copy its file into the data directory";
    match (secret_key::find(config.secret_key.as_ref(), &config.data_dir), stored) {
        (Err(failure), _) => Finding::fail(KEY, failure.to_string(), mend),
        (Ok(_), None) => Finding::ok(KEY, "the first start binds the database to its secret key"),
        (Ok(None), Some(_)) => Finding::fail(
            KEY,
            "the database is bound to a secret key, but neither INBOXD_SECRET_KEY nor the data directory has one",
            mend,
        ),
        (Ok(Some(keys)), Some(stored)) if keys.is_of(&stored) => Finding::ok(KEY, "matches that of the database"),
        (Ok(Some(_)), Some(_)) => Finding::fail(KEY, "the database is bound to another secret key", mend),
    }
}
