//! OAuth: units of work of the token endpoint and the pages, with the locks that order races.

mod authentication;
mod tokens;

use inboxd_core::app::App;
use inboxd_core::app::oauth::{
    ClientCredentials, CodeExchange, ConnectionChange, FoundClient, Refresh, RegisterClient, exchange_code,
    find_client, open_session, problems_of_change, refresh, register_client, request_code,
};
use inboxd_core::model::{
    AuthorizationCode, ClientAuthMethod, ClientSource, Connection, Member, OAuthClient, OAuthErrorCode, RefreshToken,
    SignInCode,
};
use inboxd_core::ports::StoreError;
use inboxd_core::rules::oauth::refresh_tokens;
use inboxd_core::rules::sign_in::digits;
use inboxd_core::testing::fixtures::{self, NOW, address, id};
use inboxd_core::testing::{Captured, MockTx, World};
use inboxd_core::{CodeRefusal, Error};
use time::Duration;

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

fn client() -> OAuthClient {
    OAuthClient {
        client_id: "client_chat".to_owned(),
        source: ClientSource::Registered,
        name: "Chat".to_owned(),
        redirect_uris: vec!["https://chat.example/callback".to_owned()],
        auth_method: ClientAuthMethod::None,
        secret_hash: None,
        created_at: NOW,
        used_at: None,
        cached_until: None,
    }
}

fn credentials() -> ClientCredentials {
    ClientCredentials { client_id: "client_chat".to_owned(), secret: None }
}

fn world() -> World {
    let mut world = World::default();
    world.store.expect_oauth_client().returning(|_| Ok(Some(client())));
    world
}

fn code_of<T>(refused: Result<T, Error>) -> OAuthErrorCode {
    match refused {
        Err(Error::OAuth(error)) => error.code,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("it was not refused"),
    }
}

#[tokio::test]
async fn base_url_with_path_turns_everything_off() {
    let mut world = World::default();
    world.settings.issuer = None;
    let app = world.app();
    let off = OAuthErrorCode::TemporarilyUnavailable;
    assert_eq!(code_of(find_client(&app, "client_chat").await), off);
    assert_eq!(code_of(register_client(&app, RegisterClient::default()).await), off);
    let request = Refresh { refresh_token: "rt_".to_owned(), scope: None, resource: None };
    assert_eq!(code_of(refresh(&app, &credentials(), request).await), off);
}

#[tokio::test]
async fn registration_can_be_switched_off_and_documents_still_connect() {
    let mut world = World::default();
    world.settings.registers_clients = false;
    world.store.expect_oauth_client().returning(|_| Ok(None));
    let app = world.app();
    let request = RegisterClient { redirect_uris: client().redirect_uris, ..RegisterClient::default() };
    assert_eq!(code_of(register_client(&app, request).await), OAuthErrorCode::UnauthorizedClient);
    let url = "https://app.example/client.json";
    assert_eq!(find_client(&app, url).await.unwrap(), FoundClient::Document(url.to_owned()));
}

#[tokio::test]
async fn code_of_browser_is_mailed_to_newcomers() {
    let mut world = World::default();
    let asked = Captured::default();
    let seen = asked.clone();
    world.unit_of_work().sign_ins.expect_ask().once().returning(move |code, _| {
        seen.push(code.mails_newcomers);
        Ok(())
    });
    request_code(&world.app(), "Ada@example.net").await.unwrap();
    assert!(asked.only());
}

#[tokio::test]
async fn wrong_code_of_browser_counts_and_opens_no_session() {
    let mut world = World::default();
    let code = SignInCode::fresh(address("ada@example.net"), [1; 32], NOW);
    let right = digits(&world.settings.signing_key, &code);
    let wrong = if right == "000000" { "000001" } else { "000000" };
    let tx = world.unit_of_work();
    tx.sign_ins.expect_lock().once().return_once(move |_| Ok(Some(code)));
    tx.sign_ins.expect_tried().once().returning(|code| {
        assert_eq!(code.attempts, 1);
        Ok(())
    });
    let journal = world.journal.clone();
    let refused = open_session(&world.app(), "ada@example.net", wrong).await;
    assert!(matches!(refused, Err(Error::Code(CodeRefusal::WrongSignIn))));
    assert_eq!(journal.commits(), 1, "the wrong code is counted");
}

#[test]
fn change_to_scope_that_names_nothing_is_refused() {
    for (scope, is_refused) in [
        ("", true),
        (" ", true),
        ("offline_access", true),
        ("openid profile", true),
        ("offline_access mail:read", false),
    ] {
        let change = ConnectionChange { scope: Some(scope.to_owned()), ..ConnectionChange::default() };
        let problems = problems_of_change(&change);
        let paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
        assert_eq!(paths == ["scope"], is_refused, "{scope:?}: {problems:?}");
    }
}
