//! One order: account, challenges, certificate (RFC 8555, section 7).

use std::time::Duration;

use inboxd_core::model::certificate::{AcmeChallenge, IssuedCertificate};
use inboxd_core::ports::{StoreError, VaultError};
use instant_acme::{
    Account, AccountCredentials, AuthorizationStatus, CertificateIdentifier, Error, Identifier, NewAccount, NewOrder,
    Order, OrderStatus, RetryPolicy,
};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio::time::sleep;

use super::AcmeManager;
use crate::certificate::CertificateError;
use crate::challenges::CHALLENGES_TTL;
use crate::info::CertificateInfo;

/// Time for which a challenge is valid. It exceeds the time of an order.
const CHALLENGE_TTL: time::Duration = time::Duration::minutes(10);
/// Time from the storing of a challenge until all processes respond to it.
const CHALLENGE_DELAY: Duration = CHALLENGES_TTL.saturating_mul(2);
/// Polling of the validation and of the certificate.
const POLLING: RetryPolicy = RetryPolicy::new().timeout(Duration::from_mins(1));

/// Reason for which an order failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum OrderError {
    #[error("{0}")]
    Acme(#[from] Error),
    #[error("{name}: {reason}")]
    NotValidated { name: String, reason: String },
    #[error("the ACME server offers no {0} challenge for {1}")]
    NotOffered(&'static str, String),
    #[error("the order took too long")]
    Timeout,
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Vault(#[from] VaultError),
    #[error("{0}")]
    Certificate(#[from] CertificateError),
    #[error("account credentials: {0}")]
    Credentials(#[from] serde_json::Error),
}

impl AcmeManager {
    /// Orders a certificate. `previous` is the chain of the one that it replaces.
    pub(super) async fn order(&self, previous: Option<&str>) -> Result<(Account, IssuedCertificate), OrderError> {
        let mut account = self.account().await?;
        self.update_contact(&account).await;
        let order = match self.begin(&account, previous).await {
            Err(Error::Api(problem))
                if problem.r#type.as_deref().is_some_and(|kind| kind.ends_with(":accountDoesNotExist")) =>
            {
                account = self.create_account().await?;
                self.begin(&account, None).await
            }
            begun => begun,
        };
        let mut order = order?;
        self.prove_names(&mut order).await?;
        if order.poll_ready(&POLLING).await? != OrderStatus::Ready {
            return Err(refusal(&mut order).await);
        }
        let key = order.finalize().await?;
        let chain = order.poll_certificate(&POLLING).await?;
        let info = CertificateInfo::of_pem(&chain)?;
        let sealed_key = self.ports.vault.seal(&self.key_context(), key.as_bytes())?;
        let CertificateInfo { valid_from, valid_until, .. } = info;
        Ok((account, IssuedCertificate { chain, sealed_key, valid_from, valid_until }))
    }

    async fn begin(&self, account: &Account, previous: Option<&str>) -> Result<Order, Error> {
        let names: Vec<Identifier> = self.scope.names().iter().map(|name| Identifier::Dns(name.clone())).collect();
        // A replacement is exempt from rate limits where the server knows it (RFC 9773, section 5).
        if let Some(leaf) = previous.and_then(|chain| CertificateDer::from_pem_slice(chain.as_bytes()).ok())
            && let Ok(replaced) = CertificateIdentifier::try_from(&leaf)
            && let Ok(order) = account.new_order(&NewOrder::new(&names).replaces(replaced)).await
        {
            return Ok(order);
        }
        account.new_order(&NewOrder::new(&names)).await
    }

    /// Returns the stored account, or registers one.
    pub(super) async fn account(&self) -> Result<Account, OrderError> {
        let sealed = self.ports.store.load_acme_account(&self.scope.directory).await?;
        let Some(sealed) = sealed else { return self.create_account().await };
        match self.ports.vault.open(&self.account_context(), &sealed) {
            Ok(credentials) => {
                let credentials: AccountCredentials = serde_json::from_slice(&credentials)?;
                Ok(Account::builder_with_http(Box::new(self.http.clone())).from_credentials(credentials).await?)
            }
            Err(error) => {
                let hint = "another secret key sealed it, so a new account is registered";
                tracing::warn!(%error, hint, "stored ACME account not usable");
                self.create_account().await
            }
        }
    }

    /// Gives the account the configured address, which may have changed. A failure does not prevent the order.
    async fn update_contact(&self, account: &Account) {
        let Some(email) = &self.options.email else { return };
        if let Err(error) = account.update_contacts(&[&format!("mailto:{email}")]).await {
            tracing::warn!(%error, "address of the ACME account not updated");
        }
    }

    async fn create_account(&self) -> Result<Account, OrderError> {
        let contact = self.options.email.as_ref().map(|email| format!("mailto:{email}"));
        let contact: Vec<&str> = contact.iter().map(String::as_str).collect();
        let account = NewAccount { contact: &contact, terms_of_service_agreed: true, only_return_existing: false };
        let builder = Account::builder_with_http(Box::new(self.http.clone()));
        let (account, credentials) = builder.create(&account, self.scope.directory.clone(), None).await?;
        let sealed = self.ports.vault.seal(&self.account_context(), &serde_json::to_vec(&credentials)?)?;
        self.ports.store.save_acme_account(&self.scope.directory, &sealed, self.ports.clock.now()).await?;
        tracing::info!(directory = self.scope.directory, "ACME account registered");
        Ok(account)
    }

    /// Stores the challenge of each name, and lets the server validate it.
    async fn prove_names(&self, order: &mut Order) -> Result<(), OrderError> {
        let kind = self.options.challenge;
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization?;
            if authorization.status == AuthorizationStatus::Valid {
                continue;
            }
            let name = authorization.identifier().to_string();
            let Some(mut challenge) = authorization.challenge(kind.acme_type()) else {
                return Err(OrderError::NotOffered(kind.as_str(), name));
            };
            let now = self.ports.clock.now();
            let stored = AcmeChallenge {
                token: challenge.token.clone(),
                name,
                key_authorization: challenge.key_authorization().as_str().to_owned(),
                expires_at: now + CHALLENGE_TTL,
            };
            self.ports.store.save_acme_challenge(&stored, now).await?;
            sleep(CHALLENGE_DELAY).await;
            challenge.set_ready().await?;
        }
        Ok(())
    }

    fn account_context(&self) -> Vec<u8> {
        format!("acme account {}", self.scope.directory).into_bytes()
    }

    pub(super) fn key_context(&self) -> Vec<u8> {
        format!("acme certificate {} {}", self.scope.directory, self.scope.key()).into_bytes()
    }
}

/// Returns the reason for which the server refused a name.
async fn refusal(order: &mut Order) -> OrderError {
    let mut authorizations = order.authorizations();
    while let Some(Ok(mut authorization)) = authorizations.next().await {
        let Ok(state) = authorization.refresh().await else { continue };
        let problem = state.challenges.iter().find_map(|challenge| challenge.error.as_ref());
        if let Some(problem) = problem {
            let name = state.identifier().to_string();
            return OrderError::NotValidated { name, reason: problem.to_string() };
        }
    }
    OrderError::NotValidated { name: "order".to_owned(), reason: "refused without a reason".to_owned() }
}
