//! Credentials that subscribe to the feed.

use inboxd_core::app::feed::{FeedCredential, standings};
use inboxd_core::model::{BrowserSession, Membership};
use inboxd_core::testing::{World, fixtures};

#[tokio::test]
async fn session_reads_while_it_lives_and_its_person_is_member() {
    let organization_id = fixtures::organization().organization_id;
    let session = BrowserSession::open(fixtures::member().email, "bs_1", fixtures::NOW);
    let expired = BrowserSession { token_hash: [2; 32], expires_at: fixtures::NOW, ..session.clone() };
    let mut world = World::default();
    let found = vec![session.clone(), expired.clone()];
    world.store.expect_browser_sessions().returning(move |_| Ok(found.clone()));
    world.store.expect_memberships_of().returning(|emails| {
        assert_eq!(emails.len(), 1, "only live sessions count");
        let (organization, member) = (fixtures::organization(), fixtures::member());
        Ok(vec![Some(vec![Membership { organization, member, used_at: None }])])
    });
    let of = |token_hash, organization_id| FeedCredential::Session { token_hash, organization_id };
    let credentials = [
        of(session.token_hash, organization_id),
        of(session.token_hash, fixtures::id(99)),
        of(expired.token_hash, organization_id),
        of([3; 32], organization_id),
    ];
    let standings = standings(&world.app(), &credentials).await.unwrap();
    let found: Vec<bool> = standings.iter().map(Result::is_ok).collect();
    assert_eq!(found, [true, false, false, false]);
    assert_eq!(standings[0].as_ref().unwrap().member.as_ref().unwrap().email, session.email);
}
