//! `kill -9` of inboxd under load.

use super::checks::check;
use super::load::Load;
use crate::support::options;

#[tokio::test]
async fn kills_under_load_lose_and_repeat_nothing() {
    let mut load = Load::begin(options()).await;
    for _ in 0..5 {
        load.until_busy().await;
        load.kill().await;
    }
    load.until_busy().await;
    let url = load.server.database().url();
    check(load, &url).await;
}
