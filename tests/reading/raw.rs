//! Raw content of collected mails.

use super::{collection_mail, deliver_and_read, to_crlf};
use crate::support::server_and_agent;

#[tokio::test]
async fn collected_mails_are_stored_byte_for_byte() {
    let (server, agent) = server_and_agent().await;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../mail/collection/replies");
    let mut taken = 0;
    for language in std::fs::read_dir(folder).unwrap() {
        // The first mail of each language; the test of the collection verifies the extracted text.
        let mut mails: Vec<_> =
            std::fs::read_dir(language.unwrap().path()).unwrap().map(|file| file.unwrap().path()).collect();
        mails.sort();
        let mail = mails.iter().find(|file| file.extension().is_some_and(|ending| ending == "eml")).unwrap();
        let path = mail.strip_prefix(concat!(env!("CARGO_MANIFEST_DIR"), "/../mail/collection/")).unwrap();
        let raw = collection_mail(path.to_str().unwrap());
        let message = deliver_and_read(&server, &agent, &raw).await;
        let parsed = inboxd_mail::parse(&to_crlf(&raw));
        assert_eq!(message["extracted_text"].as_str(), parsed.extracted_text.as_deref(), "{path:?}");
        assert_eq!(message["preview"].as_str(), parsed.preview.as_deref(), "{path:?}");
        let link = agent.get(&agent.message(&message["message_id"], "/raw")).await.ok();
        let url = link["download_url"].as_str().unwrap();
        let downloaded = server.http().get(url.strip_prefix(&server.base_url()).unwrap()).await;
        assert!(downloaded.body.ends_with(&to_crlf(&raw)), "{path:?}");
        taken += 1;
    }
    assert!(taken >= 17, "a language has no mails: {taken}");
}
