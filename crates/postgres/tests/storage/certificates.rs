use inboxd_core::model::certificate::{
    AcmeChallenge, CertificateScope, CertificateState, IssuedCertificate, RenewalPlan,
};
use inboxd_core::ports::CertificateStore;
use time::Duration;
use uuid::Uuid;

use crate::support::*;

const DIRECTORY: &str = "https://acme.example/directory";
const ONE: Uuid = Uuid::from_u128(1);
const OTHER: Uuid = Uuid::from_u128(2);

fn scope() -> CertificateScope {
    CertificateScope::new(DIRECTORY, ["b.example".to_owned(), "a.example".to_owned()])
}

fn certificate() -> IssuedCertificate {
    IssuedCertificate {
        chain: "chain".to_owned(),
        sealed_key: b"sealed".to_vec(),
        valid_from: at(0),
        valid_until: at(0) + Duration::days(90),
    }
}

fn plan() -> RenewalPlan {
    RenewalPlan { renew_at: at(0) + Duration::days(60), check_at: at(0) + Duration::hours(6) }
}

#[tokio::test]
async fn account_is_replaced() {
    let world = world().await;
    let store = &world.store;
    assert_eq!(store.load_acme_account(DIRECTORY).await.unwrap(), None);
    for credentials in [b"one".as_slice(), b"two"] {
        store.save_acme_account(DIRECTORY, credentials, at(0)).await.unwrap();
        assert_eq!(store.load_acme_account(DIRECTORY).await.unwrap(), Some(credentials.to_vec()));
    }
    assert_eq!(store.load_acme_account("https://other.example").await.unwrap(), None);
}

#[tokio::test]
async fn one_process_claims_orders_until_its_claim_ends() {
    let world = world().await;
    let store = &world.store;
    let until = at(0) + Duration::minutes(5);
    let claim = async |process, now| store.claim_certificate(&scope(), process, now, now + Duration::minutes(5)).await;
    assert!(claim(ONE, at(0)).await.unwrap());
    assert!(!claim(OTHER, until - Duration::MILLISECOND).await.unwrap());
    assert!(claim(ONE, at(0)).await.unwrap(), "a process may repeat its claim");
    assert!(claim(OTHER, until).await.unwrap(), "the claim has ended");
    assert!(!store.save_certificate(&scope(), ONE, &certificate(), plan()).await.unwrap());
    assert_eq!(store.load_certificate(&scope()).await.unwrap(), CertificateState::default());
    assert!(store.save_certificate(&scope(), OTHER, &certificate(), plan()).await.unwrap());
    assert!(claim(ONE, at(0)).await.unwrap(), "a stored certificate ends the claim");
}

#[tokio::test]
async fn state_follows_orders() {
    let world = world().await;
    let store = &world.store;
    let load = async || store.load_certificate(&scope()).await.unwrap();
    let claim = async || assert!(store.claim_certificate(&scope(), ONE, at(0), at(9)).await.unwrap());
    for failures in 1..=2 {
        claim().await;
        store.save_certificate_failure(&scope(), ONE, "no address", at(7)).await.unwrap();
        let expected = CertificateState {
            certificate: None,
            failures,
            retry_at: Some(at(7)),
            failure: Some("no address".to_owned()),
        };
        assert_eq!(load().await, expected);
    }
    claim().await;
    store.save_certificate(&scope(), ONE, &certificate(), plan()).await.unwrap();
    let issued = CertificateState { certificate: Some((certificate(), plan())), ..CertificateState::default() };
    assert_eq!(load().await, issued);
    claim().await;
    let later = RenewalPlan { renew_at: at(8), check_at: at(9) };
    store.save_renewal_plan(&scope(), ONE, later).await.unwrap();
    assert_eq!(load().await.certificate, Some((certificate(), later)));
    let other = CertificateScope::new(DIRECTORY, ["a.example".to_owned()]);
    assert_eq!(store.load_certificate(&other).await.unwrap(), CertificateState::default());
}

#[tokio::test]
async fn other_secret_key_deletes_accounts_and_certificates() {
    let world = world().await;
    let store = &world.store;
    store.save_acme_account(DIRECTORY, b"sealed", at(0)).await.unwrap();
    assert!(store.claim_certificate(&scope(), ONE, at(0), at(9)).await.unwrap());
    assert!(store.save_certificate(&scope(), ONE, &certificate(), plan()).await.unwrap());
    store.replace_secret_key_check(&[7; 32]).await.unwrap();
    assert_eq!(store.secret_key_check().await.unwrap(), Some([7; 32]));
    assert_eq!(store.load_acme_account(DIRECTORY).await.unwrap(), None);
    assert_eq!(store.load_certificate(&scope()).await.unwrap(), CertificateState::default());
}

#[tokio::test]
async fn challenges_expire() {
    let world = world().await;
    let store = &world.store;
    let challenge = |token: &str, seconds| AcmeChallenge {
        token: token.to_owned(),
        name: "a.example".to_owned(),
        key_authorization: format!("{token}.thumbprint"),
        expires_at: at(seconds),
    };
    for challenge in [challenge("old", 5), challenge("new", 9)] {
        store.save_acme_challenge(&challenge, at(0)).await.unwrap();
    }
    let tokens = async |now| {
        let found = store.load_acme_challenges(now).await.unwrap();
        found.into_iter().map(|challenge| challenge.token).collect::<Vec<_>>()
    };
    assert_eq!(tokens(at(0)).await, ["new", "old"]);
    assert_eq!(tokens(at(5)).await, ["new"]);
    store.save_acme_challenge(&challenge("next", 12), at(6)).await.unwrap();
    assert_eq!(tokens(at(0)).await, ["next", "new"], "the expired one is deleted");
}
