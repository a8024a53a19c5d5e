//! Connections and their tokens: use cases on a real database, races included.

mod clients;
mod connections;
mod exchange;
mod refresh;
mod sessions;

use std::sync::Arc;

use inboxd_core::Error;
use inboxd_core::app::oauth::{
    ClientCredentials, CodeExchange, GrantRequest, IssuedTokens, Refresh, RegisterClient, exchange_code, grant,
    list_connections, refresh, register_client,
};
use inboxd_core::app::{App, authenticate};
use inboxd_core::model::{
    Access, BrowserSession, Caller, Connection, InboxId, Member, OAuthClient, OAuthErrorCode, PageRequest, Role,
};
use inboxd_core::testing::FixedClock;
use time::Duration;

use crate::members::{add, member};
use crate::support::*;

/// Verifier of PKCE.
const VERIFIER: &str = "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv";
/// Its challenge.
const CHALLENGE: &str = "7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM";
/// Redirect URI of the client.
const REDIRECT: &str = "https://chat.example/callback";

/// A signed-in admin with a registered client.
struct Flow {
    world: World,
    app: App,
    clock: FixedClock,
    member: Member,
    client: OAuthClient,
    session: BrowserSession,
}

async fn flow() -> Flow {
    let world = world().await;
    let member = Member {
        role: Role::Admin,
        inbox_ids: [].into(),
        joined_at: Some(at(1)),
        ..member(&world, 1, "maria@example.org")
    };
    add(&world, &member).await;
    let clock = FixedClock::at(at(10));
    let app = App { clock: Arc::new(clock.clone()), ..world.app(at(10)) };
    let request = RegisterClient {
        client_name: Some("Chat".to_owned()),
        redirect_uris: vec![REDIRECT.to_owned()],
        token_endpoint_auth_method: Some("none".to_owned()),
        ..RegisterClient::default()
    };
    let client = register_client(&app, request).await.unwrap().client;
    let session = BrowserSession::open(member.email.clone(), "bs_1", at(10));
    Flow { world, app, clock, member, client, session }
}

impl Flow {
    fn credentials(&self) -> ClientCredentials {
        ClientCredentials { client_id: self.client.client_id.clone(), secret: None }
    }

    fn request(&self) -> GrantRequest {
        GrantRequest {
            client_address: None,
            client: self.client.clone(),
            redirect_uri: REDIRECT.to_owned(),
            code_challenge: CHALLENGE.to_owned(),
            resource: Some("https://mail.example/mcp".to_owned()),
            scope: None,
            organization_id: self.world.organization_id(),
            inbox_ids: None,
            access: Access::Asked,
            lifetime: Duration::days(365),
        }
    }

    async fn code(&self) -> String {
        grant(&self.app, &self.session, self.request()).await.unwrap()
    }

    async fn exchange(&self, code: &str) -> Result<IssuedTokens, Error> {
        let exchange = CodeExchange {
            code: code.to_owned(),
            redirect_uri: Some(REDIRECT.to_owned()),
            code_verifier: VERIFIER.to_owned(),
            resource: None,
        };
        exchange_code(&self.app, &self.credentials(), exchange).await
    }

    async fn tokens(&self) -> IssuedTokens {
        let code = self.code().await;
        self.exchange(&code).await.unwrap()
    }

    async fn refresh(&self, token: &str) -> Result<IssuedTokens, Error> {
        let request = Refresh { refresh_token: token.to_owned(), scope: None, resource: None };
        refresh(&self.app, &self.credentials(), request).await
    }

    async fn caller(&self, tokens: &IssuedTokens) -> Result<Caller, Error> {
        authenticate(&self.app, tokens.access_token.reveal()).await
    }

    /// The connections that the owner of the organization sees.
    async fn connections(&self) -> Vec<Connection> {
        let person = connections::person(&self.world, &self.member);
        list_connections(&self.app, &person, PageRequest::default()).await.unwrap().items
    }

    /// Asserts the number of rows of a table, or of those that satisfy a condition.
    async fn assert_rows(&self, rows: &str, expected: usize) {
        // The query divides by zero for any other number.
        let sql = format!("SELECT 1 / (CASE WHEN (SELECT count(*) FROM {rows}) = {expected} THEN 1 ELSE 0 END)");
        assert_eq!(self.world.database.try_execute(&sql).await, Ok(()), "{rows} has not {expected} rows");
    }
}

fn code_of(refused: Result<IssuedTokens, Error>) -> OAuthErrorCode {
    match refused {
        Err(Error::OAuth(error)) => error.code,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("tokens were issued"),
    }
}

fn is_alive(caller: &Result<Caller, Error>) -> bool {
    match caller {
        Ok(_) => true,
        Err(Error::UnknownApiKey | Error::ApiKeyExpired { .. }) => false,
        Err(other) => panic!("{other:?}"),
    }
}

fn inboxes(names: &[&str]) -> Vec<InboxId> {
    names.iter().map(|name| InboxId::stored((*name).to_owned())).collect()
}
