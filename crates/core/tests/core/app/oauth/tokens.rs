//! Exchange and refresh.

use inboxd_core::rules::oauth::refresh_tokens::TokenFacts;

use super::*;

fn stored_code(used: bool) -> AuthorizationCode {
    AuthorizationCode {
        code_hash: AuthorizationCode::hash("ac_code"),
        organization_id: id(1),
        connection_id: id(60),
        redirect_uri: "https://chat.example/callback".to_owned(),
        challenge: CHALLENGE.to_owned(),
        expires_at: NOW + AuthorizationCode::LIFETIME,
        used_at: used.then_some(NOW),
    }
}

fn exchange(code_verifier: &str) -> CodeExchange {
    CodeExchange {
        code: "ac_code".to_owned(),
        redirect_uri: None,
        code_verifier: code_verifier.to_owned(),
        resource: None,
    }
}

/// Expects the locks of a connection behind its member.
fn locks_connection(tx: &mut MockTx, member: Option<Member>, connection: Option<Connection>) {
    tx.connections.expect_find().once().returning(|_, _| Ok(Some(fixtures::connection())));
    tx.members.expect_hold().times(..=1).return_once(move |_, _| Ok(member));
    tx.connections.expect_lock().times(..=1).return_once(move |_, _| Ok(connection));
}

/// Expects the issue of tokens, and records the hash that the new refresh token replaces.
fn issues(tx: &mut MockTx) -> Captured<Option<[u8; 32]>> {
    let parents = Captured::default();
    let seen = parents.clone();
    tx.connections.expect_update().once().returning(|connection| {
        assert_eq!(connection.used_at, Some(NOW), "the exchange activates the connection");
        Ok(true)
    });
    tx.api_keys.expect_insert().once().returning(|key, _| {
        assert!(key.is_access_token());
        assert_eq!((key.connection_id, key.expires_at), (Some(id(60)), Some(NOW + Duration::hours(1))));
        Ok(())
    });
    tx.api_keys.expect_limit_access_tokens().once().returning(|_, _, _| Ok(()));
    tx.oauth_tokens.expect_insert_refresh_token().once().returning(move |token| {
        seen.push(token.parent_hash);
        Ok(())
    });
    tx.oauth_tokens.expect_limit_refresh_tokens().once().returning(|_, _, _| Ok(()));
    tx.oauth_clients.expect_touch().once().returning(|_, _| Ok(()));
    parents
}

#[tokio::test]
async fn right_code_is_ended_and_yields_tokens_in_one_unit_of_work() {
    let mut world = world();
    let tx = world.unit_of_work();
    tx.oauth_tokens.expect_lock_code().once().returning(|_| Ok(Some(stored_code(false))));
    tx.oauth_tokens.expect_end_code().once().returning(|_, _| Ok(()));
    locks_connection(tx, Some(fixtures::member()), Some(fixtures::connection()));
    issues(tx);
    let journal = world.journal.clone();
    let tokens = exchange_code(&world.app(), &credentials(), exchange(VERIFIER)).await.unwrap();
    assert_eq!(tokens.scope, "mail:read mail:draft mail:send mail:manage");
    assert_eq!(journal.commits(), 1);
}

#[tokio::test]
async fn refused_first_use_of_code_is_committed() {
    let removed = (Some(fixtures::connection()), None);
    let revoked = (None, Some(fixtures::member()));
    for (verifier, (connection, member)) in
        [("w".repeat(43), removed.clone()), (VERIFIER.to_owned(), removed), (VERIFIER.to_owned(), revoked)]
    {
        let mut world = world();
        let tx = world.unit_of_work();
        tx.oauth_tokens.expect_lock_code().once().returning(|_| Ok(Some(stored_code(false))));
        tx.oauth_tokens.expect_end_code().once().returning(|_, _| Ok(()));
        tx.connections.expect_find().times(..=1).returning(|_, _| Ok(Some(fixtures::connection())));
        tx.members.expect_hold().times(..=1).return_once(move |_, _| Ok(member));
        tx.connections.expect_lock().times(..=1).return_once(move |_, _| Ok(connection));
        let journal = world.journal.clone();
        let refused = exchange_code(&world.app(), &credentials(), exchange(&verifier)).await;
        assert_eq!(code_of(refused), OAuthErrorCode::InvalidGrant);
        assert_eq!(journal.commits(), 1, "the code is ended");
    }
}

#[tokio::test]
async fn second_use_of_code_revokes_connection_and_contention_is_retried() {
    let mut world = world();
    world.unit_of_work().oauth_tokens.expect_lock_code().once().returning(|_| Err(StoreError::Contention));
    let tx = world.unit_of_work();
    tx.oauth_tokens.expect_lock_code().once().returning(|_| Ok(Some(stored_code(true))));
    tx.connections.expect_lock().once().returning(|_, _| Ok(Some(fixtures::connection())));
    tx.connections.expect_revoke().once().returning(|organization_id, connection_id, _| {
        assert_eq!((organization_id, connection_id), (id(1), id(60)));
        Ok(true)
    });
    let refused = exchange_code(&world.app(), &credentials(), exchange(VERIFIER)).await;
    assert_eq!(code_of(refused), OAuthErrorCode::InvalidGrant);
}

/// Refreshes with a token of the connection against these stored ones.
async fn refreshed(stored: impl Fn([u8; 32]) -> Vec<RefreshToken>, prepare: impl Fn(&mut MockTx)) -> Result<(), Error> {
    refreshed_until(NOW + Duration::days(60), stored, prepare).await
}

/// Refreshes with a token of this expiry.
async fn refreshed_until(
    expires_at: time::OffsetDateTime,
    stored: impl Fn([u8; 32]) -> Vec<RefreshToken>,
    prepare: impl Fn(&mut MockTx),
) -> Result<(), Error> {
    let mut world = world();
    let facts = TokenFacts { organization_id: id(1), connection_id: id(60), expires_at };
    let text = refresh_tokens::text(&world.settings.signing_key, facts, [5; 32]);
    let stored = stored(RefreshToken::hash(&text));
    let tx = world.unit_of_work();
    locks_connection(tx, Some(fixtures::member()), Some(fixtures::connection()));
    tx.oauth_tokens.expect_refresh_tokens().once().return_once(move |_, _| Ok(stored));
    prepare(tx);
    let app: App = world.app();
    let request = Refresh { refresh_token: text, scope: None, resource: None };
    refresh(&app, &credentials(), request).await.map(drop)
}

fn stored_token(token_hash: [u8; 32], retired_at: Option<time::OffsetDateTime>) -> RefreshToken {
    RefreshToken {
        token_hash,
        organization_id: id(1),
        connection_id: id(60),
        parent_hash: None,
        created_at: NOW,
        retired_at,
        expires_at: NOW + Duration::days(60),
    }
}

#[tokio::test]
async fn current_refresh_token_is_retired_once_and_its_predecessor_is_not_again() {
    refreshed(
        |hash| vec![stored_token(hash, None)],
        |tx| {
            tx.oauth_tokens.expect_retire_refresh_token().once().returning(|_, _| Ok(()));
            issues(tx);
        },
    )
    .await
    .unwrap();
    let retired_at = NOW - Duration::seconds(59);
    refreshed(|hash| vec![stored_token(hash, Some(retired_at))], |tx| drop(issues(tx))).await.unwrap();
}

#[tokio::test]
async fn earlier_refresh_token_revokes_connection() {
    for stored in [Vec::new(), vec![stored_token([9; 32], None)]] {
        let refused = refreshed(
            |_| stored.clone(),
            |tx| {
                tx.connections.expect_revoke().once().returning(|_, _, _| Ok(true));
            },
        )
        .await;
        assert_eq!(code_of(refused), OAuthErrorCode::InvalidGrant);
    }
}

#[tokio::test]
async fn expired_refresh_token_revokes_nothing_with_or_without_row() {
    let retired = |hash| RefreshToken { expires_at: NOW, ..stored_token(hash, Some(NOW - Duration::days(30))) };
    for stored in [|_| Vec::new(), |_| vec![stored_token([9; 32], None)]] {
        let refused = refreshed_until(NOW, stored, |_| {}).await;
        assert_eq!(code_of(refused), OAuthErrorCode::InvalidGrant);
    }
    let refused = refreshed_until(NOW, |hash| vec![retired(hash)], |_| {}).await;
    assert_eq!(code_of(refused), OAuthErrorCode::InvalidGrant);
}
