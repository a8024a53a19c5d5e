//! `/v0/inboxes/{inbox_id}/files`: uploads by URL, downloads by link, storage, expiry and rights.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use inboxd_testkit::{ApiResponse, HttpClient, HttpRequest, Persona, TestServer, encoded, eventually};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::people::sign_in_client;
use crate::support::{in_seconds, read_pages, server_and_agent, text_fields};

/// Returns the creation of a file with this content.
pub(crate) fn new_file(path: &str, content: &[u8]) -> Value {
    let sha256 = BASE64_STANDARD.encode(Sha256::digest(content));
    json!({"path": path, "size": content.len(), "sha256": sha256, "content_type": "text/plain"})
}

/// Returns the path of a URL of the server.
fn path_of(url: &Value) -> &str {
    let url = url.as_str().unwrap();
    &url[url.find("/v0/").unwrap()..]
}

/// Uploads content to the URL of a created file.
pub(crate) async fn put(server: &TestServer, created: &Value, content: &[u8]) -> ApiResponse {
    let upload = &created["upload"];
    assert_eq!(upload["method"], "PUT", "{created:#}");
    let request = HttpRequest::new("PUT", path_of(&upload["url"])).body(content);
    let headers = upload["headers"].as_object().unwrap();
    let fields = headers.iter().fold(request, |request, (name, value)| request.header(name, value.as_str().unwrap()));
    server.http().call(fields).await
}

fn path_to(agent: &Persona, created: &Value, rest: &str) -> String {
    agent.inbox(&format!("/files/{}{rest}", created["file_id"].as_str().unwrap()))
}

/// Stores a file completely.
pub(crate) async fn store(server: &TestServer, agent: &Persona, path: &str, content: &[u8]) -> Value {
    let created = agent.post(&agent.inbox("/files"), new_file(path, content)).await.ok();
    put(server, &created, content).await.ok();
    agent.post(&path_to(agent, &created, "/complete"), json!({})).await.ok()
}

async fn storage_of(agent: &Persona) -> u64 {
    agent.get("/v0/organizations").await.ok()["storage_bytes"].as_u64().unwrap()
}

/// Returns a client with a key that has these permissions alone.
pub(crate) async fn key(server: &TestServer, agent: &Persona, permissions: Value) -> HttpClient {
    let key = agent.post("/v0/api-keys", json!({"permissions": permissions})).await.ok();
    server.http().with_key(key["api_key"].as_str().unwrap())
}

#[tokio::test]
async fn concurrent_repeats_of_an_upload_change_nothing() {
    let (server, agent) = server_and_agent().await;
    for number in 0..8 {
        let created = agent.post(&agent.inbox("/files"), new_file(&format!("{number}.txt"), b"hello")).await.ok();
        let uploads = (0..4).map(|_| put(&server, &created, b"hello"));
        for answer in futures_util::future::join_all(uploads).await {
            assert_eq!(answer.status, 200, "{}", answer.text());
        }
        agent.post(&path_to(&agent, &created, "/complete"), json!({})).await.ok();
    }
}

#[tokio::test]
async fn file_is_uploaded_completed_downloaded_and_deleted() {
    let (server, agent) = server_and_agent().await;
    let before = storage_of(&agent).await;
    let created = agent.post(&agent.inbox("/files"), new_file("reports/Q3 ü.txt", b"hello")).await.ok();
    assert_eq!(
        (&created["status"], &created["name"], &created["email"]),
        (&json!("pending"), &json!("Q3 ü.txt"), &json!(agent.inbox_id))
    );
    assert_eq!(created.get("download_url"), None);
    assert_eq!(storage_of(&agent).await - before, 5, "storage counts from the creation");
    let complete = path_to(&agent, &created, "/complete");
    agent.post(&complete, json!({})).await.require_error(409, "conflict");

    put(&server, &created, b"hallo").await.require_error(422, "validation_error");
    put(&server, &created, b"hell").await.require_error(422, "validation_error");
    put(&server, &created, b"hello!").await.require_error(413, "payload_too_large");
    assert_eq!(put(&server, &created, b"hello").await.ok(), json!({"file_id": created["file_id"], "size": 5}));
    put(&server, &created, b"hello").await.ok();
    let ready = agent.post(&complete, json!({})).await.ok();
    assert_eq!(ready["status"], "ready");
    assert_eq!(agent.post(&complete, json!({})).await.ok()["updated_at"], ready["updated_at"]);

    let shown = agent.get(&path_to(&agent, &created, "")).await.ok();
    let downloaded = server.http().get(path_of(&shown["download_url"])).await;
    assert_eq!((downloaded.status, downloaded.body.as_slice()), (200, b"hello".as_slice()));
    assert_eq!(downloaded.header("Content-Type"), Some("text/plain"));
    assert!(downloaded.header("Content-Disposition").unwrap().contains("Q3%20%C3%BC.txt"));
    assert_eq!(storage_of(&agent).await - before, 5);

    agent.delete(&path_to(&agent, &created, "")).await.require_no_content();
    assert_eq!(storage_of(&agent).await, before);
    agent.get(&path_to(&agent, &created, "")).await.require_error(404, "not_found");
    server.http().get(path_of(&shown["download_url"])).await.require_error(404, "not_found");
    put(&server, &created, b"hello").await.require_error(404, "not_found");
}

#[tokio::test]
async fn repeated_creation_returns_the_file_and_another_one_is_refused() {
    let (server, agent) = server_and_agent().await;
    let files = agent.inbox("/files");
    let first = agent.post(&files, new_file("a", b"one")).await.ok();
    let again = agent.post(&files, new_file("a", b"one")).await.ok();
    assert_eq!(first["file_id"], again["file_id"]);
    // A pending file without content yields to another request.
    let other = agent.post(&files, new_file("a", b"other")).await.ok();
    assert_ne!(first["file_id"], other["file_id"]);
    put(&server, &again, b"one").await.require_error(404, "not_found");
    put(&server, &other, b"other").await.ok();
    // Its content has arrived: it is completed by the repeat and yields no more.
    agent.post(&files, new_file("a", b"one")).await.require_error(409, "already_exists");
    let done = agent.post(&files, new_file("a", b"other")).await.ok();
    assert_eq!((&done["status"], done.get("upload")), (&json!("ready"), None));
    assert_eq!(server.http().get(path_of(&done["download_url"])).await.text(), "other");
    let refused = agent.post(&files, new_file("a", b"one")).await.require_error(409, "already_exists");
    assert!(refused["fix"].as_str().unwrap().contains(done["file_id"].as_str().unwrap()), "{refused:#}");
}

#[tokio::test]
async fn files_are_listed_by_path_in_pages() {
    let (server, agent) = server_and_agent().await;
    for path in ["b/2", "a", "b/1", "c"] {
        store(&server, &agent, path, path.as_bytes()).await;
    }
    agent.post(&agent.inbox("/files"), new_file("b/3", b"pending")).await.ok();
    let paths =
        async |query: &str| read_pages(&agent, &agent.inbox(&format!("/files?limit=2{query}")), "files", "path").await;
    assert_eq!(paths("").await, ["a", "b/1", "b/2", "b/3", "c"]);
    assert_eq!(paths("&ascending=false").await, ["c", "b/3", "b/2", "b/1", "a"]);
    assert_eq!(paths("&path_prefix=b/").await, ["b/1", "b/2", "b/3"]);
    assert_eq!(paths("&path_prefix=b/&ascending=false").await, ["b/3", "b/2", "b/1"]);
    let item = agent.get(&agent.inbox("/files?path_prefix=a")).await.ok()["files"][0].clone();
    assert_eq!(item.get("download_url"), None);
    assert_eq!(agent.get(&agent.inbox("/files?path_prefix=%5C")).await.bad_fields(), ["path_prefix"]);
}

#[tokio::test]
async fn requests_and_rights_are_checked() {
    let (server, agent) = server_and_agent().await;
    let files = agent.inbox("/files");
    let bad =
        json!({"path": "../x", "size": 25_000_001, "sha256": "abc", "content_type": "x", "expires_at": in_seconds(0)});
    let mut found = agent.post(&files, bad).await.bad_fields();
    found.sort_unstable();
    assert_eq!(found, ["content_type", "expires_at", "path", "sha256", "size"]);

    let uploader = key(&server, &agent, json!({"file_create": true, "file_delete": true})).await;
    let theirs = store(&server, &agent, "theirs", b"x").await;
    uploader.get(&files).await.require_error(403, "missing_permission");
    uploader.post(&files, new_file("theirs", b"x")).await.require_error(409, "already_exists");
    uploader.delete(&path_to(&agent, &theirs, "")).await.require_error(404, "not_found");
    let own = uploader.post(&files, new_file("own", b"y")).await.ok();
    put(&server, &own, b"y").await.ok();
    let ready = uploader.post(&path_to(&agent, &own, "/complete"), json!({})).await.ok();
    assert_eq!((&ready["status"], ready.get("download_url")), (&json!("ready"), None));
    uploader.delete(&path_to(&agent, &own, "")).await.require_no_content();

    // Files belong to their inbox and their organization.
    let desk = agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let elsewhere =
        format!("/v0/inboxes/{}/files/{}", desk["inbox_id"].as_str().unwrap(), theirs["file_id"].as_str().unwrap());
    agent.get(&elsewhere).await.require_error(404, "not_found");
    let stranger = server.verified("stranger@example.org", "stranger").await;
    stranger.get(&path_to(&agent, &theirs, "")).await.require_error(404, "not_found");
    stranger.get(&path_to(&stranger, &theirs, "")).await.require_error(404, "not_found");
    let unverified = server.sign_up("new@example.org", "newcomer").await;
    unverified
        .post(&unverified.inbox("/files"), new_file("a", b"x"))
        .await
        .require_error(403, "organization_unverified");
    // A download link opens no upload.
    let shown = agent.get(&path_to(&agent, &theirs, "")).await.ok();
    let token = path_of(&shown["download_url"]).rsplit('/').next().unwrap();
    let misused = HttpRequest::new("PUT", &format!("/v0/uploads/{}", encoded(token))).body("x");
    server.http().call(misused).await.require_error(404, "not_found");
}

#[tokio::test]
async fn expired_file_is_not_replaced_under_legal_hold() {
    let (server, agent) = server_and_agent().await;
    let owner = sign_in_client(&server, "owner@example.org").await;
    let files = agent.inbox("/files");
    let mut request = new_file("evidence", b"evidence");
    request["expires_at"] = json!(in_seconds(60));
    let created = agent.post(&files, request).await.ok();
    put(&server, &created, b"evidence").await.ok();
    agent.post(&path_to(&agent, &created, "/complete"), json!({})).await.ok();
    agent.post(&files, new_file("empty", b"one")).await.ok();
    let hold = agent.inbox("/legal-hold");
    owner.patch(&hold, json!({"enabled": true, "reason": "case 7"})).await.ok();
    server
        .database()
        .execute("UPDATE files SET ends_at = now(), expires_at = now() - interval '1 s' WHERE expires_at IS NOT NULL")
        .await;
    agent.post(&files, new_file("evidence", b"other")).await.require_error(409, "legal_hold");
    server.database().execute("SELECT 1 / count(*) FROM file_contents WHERE content = 'evidence'").await;
    // A file without content loses nothing.
    agent.post(&files, new_file("empty", b"two")).await.ok();
    owner.patch(&hold, json!({"enabled": false, "reason": "settled"})).await.ok();
    agent.post(&files, new_file("evidence", b"other")).await.ok();
}

#[tokio::test]
async fn expired_and_abandoned_files_are_deleted_and_storage_is_bounded() {
    let (server, agent) = server_and_agent().await;
    let before = storage_of(&agent).await;
    let mut request = new_file("short", b"short");
    request["expires_at"] = json!(in_seconds(60));
    let short = agent.post(&agent.inbox("/files"), request).await.ok();
    assert!(short["upload"]["expires_at"].as_str() <= short["expires_at"].as_str(), "{short:#}");
    put(&server, &short, b"short").await.ok();
    let short = agent.post(&path_to(&agent, &short, "/complete"), json!({})).await.ok();
    assert!(short["download_expires_at"].as_str() <= short["expires_at"].as_str(), "{short:#}");
    let pending = agent.post(&agent.inbox("/files"), new_file("pending", b"pending")).await.ok();
    let kept = store(&server, &agent, "kept", b"kept").await;
    server
        .database()
        .execute("UPDATE files SET ends_at = now(), expires_at = now() - interval '1 s' WHERE expires_at IS NOT NULL")
        .await;
    agent.get(&path_to(&agent, &short, "")).await.require_error(404, "not_found");
    server.http().get(path_of(&short["download_url"])).await.require_error(404, "not_found");
    server
        .database()
        .execute("UPDATE files SET ends_at = now(), created_at = created_at - interval '1 day' WHERE NOT is_ready")
        .await;
    agent.post(&path_to(&agent, &pending, "/complete"), json!({})).await.require_error(404, "not_found");
    eventually("the files are purged", async || (storage_of(&agent).await == before + 4).then_some(())).await;
    assert_eq!(text_fields(&agent.get(&agent.inbox("/files")).await.ok(), "files", "path"), ["kept"]);

    server.database().execute("UPDATE inbox_usage SET storage_bytes = storage_bytes + 1000000000").await;
    agent.post(&agent.inbox("/files"), new_file("more", b"x")).await.require_error(429, "storage_limit_reached");
    agent.delete(&path_to(&agent, &kept, "")).await.require_no_content();
}

#[tokio::test]
async fn files_of_an_organization_are_counted_and_end_with_their_inbox() {
    let (server, agent) = server_and_agent().await;
    let made = agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let inbox = format!("/v0/inboxes/{}", made["inbox_id"].as_str().unwrap());
    let created = agent.post(&format!("{inbox}/files"), new_file("a", b"hello")).await.ok();
    put(&server, &created, b"hello").await.ok();
    let done = agent.post(&format!("{inbox}/files"), new_file("a", b"hello")).await.ok();
    let fill =
        "INSERT INTO files SELECT organization_id, gen_random_uuid(), inbox_id, 'n' || n, content_type, 0, sha256,
            true, created_by, NULL, NULL, created_at, updated_at
        FROM files, generate_series(1, 9999) n";
    server.database().execute(fill).await;
    agent.post(&agent.inbox("/files"), new_file("b", b"x")).await.require_error(429, "resource_limit_reached");
    server.database().execute("DELETE FROM files WHERE path <> 'a'").await;
    agent.delete(&inbox).await.require_no_content();
    server.http().get(path_of(&done["download_url"])).await.require_error(404, "not_found");
    let left = "DO $$ BEGIN IF EXISTS (SELECT FROM file_contents) OR EXISTS (SELECT FROM files) THEN
        RAISE EXCEPTION 'left'; END IF; END $$";
    eventually("the files are purged", async || server.database().try_execute(left).await.ok()).await;
    agent.post(&agent.inbox("/files"), new_file("b", b"x")).await.ok();
}
