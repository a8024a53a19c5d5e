use inboxd_core::model::RefreshToken;
use inboxd_core::rules::oauth::pkce::{is_challenge, is_verifier, proves};
use inboxd_core::rules::oauth::refresh_tokens::{TokenFacts, facts_of, text, usable};
use inboxd_core::rules::signing::SigningKey;
use inboxd_core::testing::fixtures::{NOW, id};
use time::{Duration, OffsetDateTime};

#[test]
fn challenge_is_proved_by_its_verifier() {
    // RFC 7636, appendix B.
    let (verifier, challenge) =
        ("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    assert!(is_challenge(challenge) && proves(challenge, verifier));
    assert!(!proves(challenge, &format!("{verifier}a")) && !proves(verifier, verifier));
    for text in ["", "plain", &"a".repeat(42), &"=".repeat(43), &"a".repeat(44)] {
        assert!(!is_challenge(text), "{text}");
    }
    let (short, long, other) = ("a".repeat(42), "a".repeat(129), format!("{}!", "a".repeat(43)));
    for text in ["", &short, &long, &other] {
        assert!(!is_verifier(text), "{text}");
    }
    assert!(is_verifier(&"a".repeat(43)) && is_verifier(&"~".repeat(128)));
}

#[test]
fn refresh_token_names_its_connection_under_signature() {
    let key = SigningKey::new([7; 32]);
    let facts = TokenFacts { organization_id: id(1), connection_id: id(2), expires_at: NOW + Duration::days(60) };
    let token = text(&key, facts, [3; 32]);
    assert_eq!(facts_of(&key, &token), Some(facts));
    assert_ne!(text(&key, facts, [4; 32]), token);
    assert_eq!(facts_of(&SigningKey::new([8; 32]), &token), None);
    let changed = token.replace('A', "B");
    for text in ["", "rt_", "am_x", &token[3..], &changed] {
        assert_eq!(facts_of(&key, text), None, "{text}");
    }
}

fn token(number: u8, parent: Option<u8>, retired_at: Option<OffsetDateTime>) -> RefreshToken {
    RefreshToken {
        token_hash: [number; 32],
        organization_id: id(1),
        connection_id: id(2),
        parent_hash: parent.map(|parent| [parent; 32]),
        created_at: NOW,
        retired_at,
        expires_at: NOW + Duration::days(60),
    }
}

#[test]
fn current_token_and_its_predecessor_for_a_minute_are_usable() {
    let stored = [token(1, None, Some(NOW)), token(2, Some(1), None), token(3, Some(1), None)];
    let is_usable =
        |number: u8, seconds: i64| usable(&stored, &[number; 32], NOW + Duration::seconds(seconds)).is_some();
    assert!(is_usable(2, 0) && is_usable(3, 3600));
    assert!(is_usable(1, 0) && is_usable(1, 59) && !is_usable(1, 60));
    assert!(!is_usable(4, 0), "an earlier token has no row");
    let rotated = [token(1, None, Some(NOW)), token(2, Some(1), Some(NOW)), token(3, Some(2), None)];
    assert!(usable(&rotated, &[1; 32], NOW).is_none(), "it is no immediate predecessor");
    assert!(usable(&rotated, &[2; 32], NOW).is_some());
}
