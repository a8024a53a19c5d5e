//! What the database holds cannot be used by whoever reads it.

use serde_json::json;

use crate::support::server;

/// Fails when any row of any table holds these octets, as they are or as text.
pub(crate) fn nowhere(octets: &[u8]) -> String {
    let hex: String = octets.iter().map(|octet| format!("{octet:02x}")).collect::<Vec<_>>().concat();
    // What is no text stands in no column as one.
    let text = std::str::from_utf8(octets).ok().filter(|text| !text.contains(['\0', '\''])).unwrap_or(&hex);
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
async fn neither_keys_nor_codes_can_be_read_in_the_database() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let code = server.log().code_for("owner@example.org").await;
    let key = agent.post("/v0/api-keys", json!({"name": "second"})).await.ok()["api_key"].as_str().unwrap().to_owned();
    for secret in [&agent.key, &key, &format!("verification code is {code}")] {
        server.database().execute(&nowhere(secret.as_bytes())).await;
    }
    // The search finds what is there, so that what it does not find is not.
    let found = server.database().try_execute(&nowhere(b"owner@example.org")).await;
    assert!(found.unwrap_err().contains("holds it"));
}
