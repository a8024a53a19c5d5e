//! `inboxd admin blobs`: totals, and moves between the database and a store.

use inboxd_testkit::TestServer;

use super::{large_mail, objects, raw, server_with_folder};
use crate::support::receive;

async fn run(server: &TestServer, arguments: &[&str]) -> String {
    let output = server.command(&[&["admin", "blobs"][..], arguments].concat()).await;
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn contents_move_into_the_database_and_back_while_the_server_runs() {
    let (folder, server, agent) = server_with_folder().await;
    for subject in ["first", "second", "third"] {
        receive(&server, &agent, &large_mail(&agent, subject)).await;
    }
    let first = agent.message_about("first").await["message_id"].clone();
    let before = raw(&agent, &first).await.body;
    let status = run(&server, &["status"]).await;
    assert!(status.contains("above 65536 bytes: file") && status.contains("file: 3 objects"), "{status}");

    let moved = run(&server, &["move", "--to-database", "--limit", "2"]).await;
    assert!(moved.contains("moved 2 contents") && moved.contains("more is left"), "{moved}");
    let moved = run(&server, &["move", "--to-database"]).await;
    assert!(moved.contains("moved 1 contents") && moved.contains("nothing is left"), "{moved}");
    let status = run(&server, &["status"]).await;
    assert!(status.contains("file: 0 objects") && status.contains("; 3 of "), "{status}");
    assert!(raw(&agent, &first).await.body == before);

    let moved = run(&server, &["move"]).await;
    assert!(moved.contains("moved 3 contents"), "{moved}");
    assert_eq!(objects(folder.path()).len(), 6, "the previous objects wait for their removal");
    assert!(raw(&agent, &first).await.body == before);
}
