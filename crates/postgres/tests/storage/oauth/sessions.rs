//! Browser sessions and newcomers.

use inboxd_core::CodeRefusal;
use inboxd_core::app::account::{SignUp, mail_sign_in_codes, sign_up, suspend};
use inboxd_core::app::oauth::{
    close_all_sessions, close_session, create_organization, inboxes_of, may_create_organization, open_session,
    organizations_of, request_code, session, sessions_of,
};
use inboxd_core::model::SignInCode;
use inboxd_core::ports::{AccountReads, BrowserSessionReads, InboxReads};
use inboxd_core::rules::sign_in::digits;
use tokio::join;

use super::*;

/// Requests a code for an address and returns its digits.
async fn code_of_address(flow: &Flow, email: &str) -> String {
    request_code(&flow.app, email).await.unwrap();
    let mut tx = flow.world.begin().await;
    let code: SignInCode = tx.sign_ins().lock(&address(email)).await.unwrap().unwrap();
    digits(&flow.app.settings.signing_key, &code)
}

#[tokio::test]
async fn newcomer_receives_verified_organization_with_first_inbox() {
    let flow = flow().await;
    let code = code_of_address(&flow, "Ada.Lovelace@example.net").await;
    mail_sign_in_codes(&flow.app).await.unwrap();
    flow.assert_rows("outgoing WHERE is_code", 1).await;
    let opened = open_session(&flow.app, "Ada.Lovelace@example.net", &code).await.unwrap();
    let [membership] = organizations_of(&flow.app, &opened.session).await.unwrap().try_into().unwrap();
    assert!(membership.organization.is_verified() && membership.member.role == Role::Owner);
    let inboxes = inboxes_of(&flow.app, &opened.session, membership.organization.organization_id).await.unwrap();
    let ids: Vec<&str> = inboxes.iter().map(|inbox| inbox.inbox_id.as_str()).collect();
    assert_eq!(ids, ["ada.lovelace@agents.example"]);
    let used = open_session(&flow.app, "ada.lovelace@example.net", &code).await;
    assert!(matches!(used, Err(Error::Code(CodeRefusal::WrongSignIn))), "a code works once");
}

#[tokio::test]
async fn taken_name_of_newcomer_gets_suffix() {
    let flow = flow().await;
    let code = code_of_address(&flow, "scout@example.net").await;
    let opened = open_session(&flow.app, "scout@example.net", &code).await.unwrap();
    let [membership] = organizations_of(&flow.app, &opened.session).await.unwrap().try_into().unwrap();
    let organization_id = membership.organization.organization_id;
    let inboxes = inboxes_of(&flow.app, &opened.session, organization_id).await.unwrap();
    assert!(inboxes[0].inbox_id.as_str().starts_with("scout-"), "{}", inboxes[0].inbox_id);
    assert!(flow.world.store.inbox(organization_id, &inboxes[0].inbox_id).await.unwrap().is_some());
}

#[tokio::test]
async fn one_code_opens_one_session_and_one_organization_in_race() {
    let flow = flow().await;
    let code = code_of_address(&flow, "ada@example.net").await;
    let (one, other) =
        join!(open_session(&flow.app, "ada@example.net", &code), open_session(&flow.app, "ada@example.net", &code));
    assert!(one.is_ok() != other.is_ok());
    flow.assert_rows("organizations", 2).await;
    flow.assert_rows("browser_sessions", 1).await;
    assert!(flow.world.store.organization_of_owner(&address("ada@example.net")).await.unwrap().is_some());
}

#[tokio::test]
async fn teammate_joins_by_first_sign_in_and_makes_no_organization() {
    let flow = flow().await;
    let invited = member(&flow.world, 2, "max@example.org");
    add(&flow.world, &invited).await;
    let code = code_of_address(&flow, "max@example.org").await;
    let opened = open_session(&flow.app, "max@example.org", &code).await.unwrap();
    let [membership] = organizations_of(&flow.app, &opened.session).await.unwrap().try_into().unwrap();
    assert_eq!(membership.member.member_id, invited.member_id);
    assert!(membership.member.is_active());
    let request = GrantRequest { inbox_ids: Some(inboxes(&["other@agents.example"])), ..flow.request() };
    assert!(grant(&flow.app, &opened.session, request).await.is_err());
    let code = grant(&flow.app, &opened.session, flow.request()).await.unwrap();
    let caller = flow.caller(&flow.exchange(&code).await.unwrap()).await.unwrap();
    assert_eq!(caller.reach, invited.reach(), "the inboxes of the teammate limit the connection");
}

#[tokio::test]
async fn own_organization_takes_address_from_unconfirmed_sign_up() {
    let flow = flow().await;
    let (email, now) = ("ada@example.net", at(10));
    let request =
        SignUp { human_email: Some(email.to_owned()), username: "evil".to_owned(), invitation: None, client: None };
    let squatted = sign_up(&flow.app, request).await.unwrap().organization_id;
    let code = code_of_address(&flow, email).await;
    let opened = open_session(&flow.app, email, &code).await.unwrap();
    let joined = organizations_of(&flow.app, &opened.session).await.unwrap();
    assert_eq!(joined.iter().map(|joined| joined.organization.organization_id).collect::<Vec<_>>(), [squatted]);
    assert!(may_create_organization(&flow.app, &opened.session, &joined).await.unwrap());
    let (one, other) =
        join!(create_organization(&flow.app, &opened.session), create_organization(&flow.app, &opened.session));
    let own = one.unwrap();
    assert_eq!(other.unwrap(), own, "two clicks make one organization");
    let joined = organizations_of(&flow.app, &opened.session).await.unwrap();
    let ids: Vec<_> = joined.iter().map(|joined| joined.organization.organization_id).collect();
    assert_eq!(ids, [own, squatted]);
    assert!(!may_create_organization(&flow.app, &opened.session, &joined).await.unwrap());
    let of_owner = flow.world.store.organization_of_owner(&address(email)).await.unwrap().unwrap();
    assert_eq!((of_owner.organization_id, of_owner.verified_at), (own, Some(now)));
}

#[tokio::test]
async fn owner_of_suspended_organization_makes_no_other_one() {
    let flow = flow().await;
    let request = SignUp {
        human_email: Some("ada@example.net".to_owned()),
        username: "evil".to_owned(),
        invitation: None,
        client: None,
    };
    let suspended = sign_up(&flow.app, request).await.unwrap().organization_id;
    suspend(&flow.app, suspended, "abuse").await.unwrap();
    let code = code_of_address(&flow, "ada@example.net").await;
    let opened = open_session(&flow.app, "ada@example.net", &code).await.unwrap();
    let joined = organizations_of(&flow.app, &opened.session).await.unwrap();
    assert!(!may_create_organization(&flow.app, &opened.session, &joined).await.unwrap());
    assert_eq!(create_organization(&flow.app, &opened.session).await.unwrap(), suspended);
}

#[tokio::test]
async fn session_lives_by_use_up_to_thirty_days() {
    let flow = flow().await;
    let code = code_of_address(&flow, "maria@example.org").await;
    let opened = open_session(&flow.app, "maria@example.org", &code).await.unwrap();
    let live = async || session(&flow.app, &opened.token).await.unwrap().is_some();
    flow.clock.advance(Duration::hours(11));
    assert!(live().await);
    for _ in 0..64 {
        flow.clock.advance(Duration::hours(11));
        assert!(live().await);
    }
    flow.clock.advance(Duration::hours(11));
    assert!(!live().await, "thirty days have passed");

    let code = code_of_address(&flow, "maria@example.org").await;
    let opened = open_session(&flow.app, "maria@example.org", &code).await.unwrap();
    close_session(&flow.app, &opened.token).await.unwrap();
    assert_eq!(session(&flow.app, &opened.token).await.unwrap(), None);
}

#[tokio::test]
async fn sessions_of_address_are_bounded() {
    let flow = flow().await;
    let mut tx = flow.world.begin().await;
    for number in 0..25 {
        let email = address("maria@example.org");
        let session = BrowserSession::open(email, &format!("bs_{number}"), at(i64::from(number)));
        tx.browser_sessions().insert(&session, 20).await.unwrap();
    }
    tx.commit().await.unwrap();
    flow.assert_rows("browser_sessions", 20).await;
}

#[tokio::test]
async fn sessions_of_person_are_listed_and_end_together() {
    let flow = flow().await;
    let mut tx = flow.world.begin().await;
    let mut opened = Vec::new();
    for (email, number) in [("maria@example.org", 1), ("Maria@Example.org", 2), ("max@example.org", 3)] {
        let session = BrowserSession::open(address(email), &format!("bs_{number}"), at(i64::from(number)));
        tx.browser_sessions().insert(&session, 20).await.unwrap();
        opened.push(session);
    }
    tx.commit().await.unwrap();
    let hashes: Vec<[u8; 32]> = opened.iter().map(|session| session.token_hash).chain([[9; 32]]).collect();
    assert_eq!(flow.world.store.browser_sessions(&hashes).await.unwrap().len(), 3);
    let listed = async |of: &BrowserSession| -> Vec<[u8; 32]> {
        sessions_of(&flow.app, of).await.unwrap().iter().map(|session| session.token_hash).collect()
    };
    assert_eq!(listed(&opened[0]).await, [opened[1].token_hash, opened[0].token_hash]);
    close_all_sessions(&flow.app, &opened[0]).await.unwrap();
    assert_eq!(listed(&opened[0]).await, [[0u8; 32]; 0]);
    assert_eq!(listed(&opened[2]).await, [opened[2].token_hash]);
}
