//! Secrets at rest, which are useless to a reader of the database.

use serde_json::json;

use crate::support::server;

/// Requires that no row of any table contains these bytes, raw or as text.
pub(crate) fn absence_check(bytes: &[u8]) -> String {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    // Bytes that are no text cannot be in a text column.
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains(['\0', '\''])).unwrap_or(&hex);
    format!(
        "DO $$ DECLARE place text; found bigint; BEGIN \
         FOR place IN SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' LOOP \
             EXECUTE format('SELECT count(*) FROM %I t WHERE strpos(t::text, %L) > 0 OR strpos(t::text, %L) > 0', \
                 place, '{text}', '{hex}') INTO found; \
             IF found > 0 THEN RAISE EXCEPTION 'the table % holds it', place; END IF; \
         END LOOP; END $$"
    )
}

#[tokio::test]
async fn database_contains_no_keys_or_codes() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let code = server.log().code_for("owner@example.org").await;
    let key = agent.post("/v0/api-keys", json!({"name": "second"})).await.ok()["api_key"].as_str().unwrap().to_owned();
    for secret in [&agent.key, &key, &format!("verification code is {code}")] {
        server.database().execute(&absence_check(secret.as_bytes())).await;
    }
    // The search finds a known text, so its negative results are meaningful.
    let found = server.database().try_execute(&absence_check(b"owner@example.org")).await;
    assert!(found.unwrap_err().contains("holds it"));
}
