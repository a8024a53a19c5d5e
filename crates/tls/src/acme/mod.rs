//! Certificate of an ACME server: loaded by every process, ordered and renewed by one of them at a time.

mod client;
mod order;

use std::sync::Arc;
use std::time::Duration;

use inboxd_core::model::certificate::{CertificateScope, CertificateState, IssuedCertificate, RenewalPlan};
use inboxd_core::ports::{CertificateStore, Clock, Random, StoreError, Vault};
use inboxd_core::rules::certificates::{
    CertificateWork, Jitter, bounded_renewal, due_work, next_check, plan_in_window, renewal_time, retry_time,
};
use instant_acme::{Account, CertificateIdentifier, ChallengeType};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use time::OffsetDateTime;
use tokio::time::timeout;
use uuid::Uuid;

pub use self::client::{ClientError, HttpsClient};
use self::order::OrderError;
use crate::certificate::ServerCertificate;

/// Time for a query for the renewal window.
const WINDOW_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for one order.
const ORDER_TIMEOUT: Duration = Duration::from_mins(4);
/// Time for which a process may order. A process that dies delays the next order by at most this.
const CLAIM_TTL: time::Duration = time::Duration::minutes(5);

/// Challenge that proves control of the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChallengeKind {
    /// `http-01` at port 80 (RFC 8555, section 8.3).
    Http,
    /// `tls-alpn-01` at port 443 (RFC 8737).
    TlsAlpn,
}

impl ChallengeKind {
    /// Returns the name of the challenge.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http-01",
            Self::TlsAlpn => "tls-alpn-01",
        }
    }

    fn acme_type(self) -> ChallengeType {
        match self {
            Self::Http => ChallengeType::Http01,
            Self::TlsAlpn => ChallengeType::TlsAlpn01,
        }
    }
}

/// Options of the orders.
#[derive(Debug, Clone)]
pub struct AcmeOptions {
    /// Address for notices of the authority.
    pub email: Option<String>,
    /// Challenge that this service can respond to.
    pub challenge: ChallengeKind,
}

/// Ports of the manager.
#[derive(Clone)]
pub struct AcmePorts {
    /// Store of all processes.
    pub store: Arc<dyn CertificateStore>,
    /// Encryption of account credentials and private keys.
    pub vault: Arc<dyn Vault>,
    /// Clock of the process.
    pub clock: Arc<dyn Clock>,
    /// Randomness of the process.
    pub random: Arc<dyn Random>,
    /// Id of the process, for its claims.
    pub process_id: Uuid,
}

/// Manager of the certificate of a scope.
pub struct AcmeManager {
    ports: AcmePorts,
    options: AcmeOptions,
    scope: CertificateScope,
    http: HttpsClient,
    certificate: ServerCertificate,
    /// Chain of the certificate in use.
    in_use: Option<String>,
    /// Chain of a certificate whose private key the vault did not open at the start. It counts as missing.
    unreadable: Option<String>,
}

impl AcmeManager {
    /// Creates a manager that replaces `certificate` at run time.
    #[must_use]
    pub fn new(
        ports: AcmePorts,
        options: AcmeOptions,
        scope: CertificateScope,
        http: HttpsClient,
        certificate: ServerCertificate,
    ) -> Self {
        Self { ports, options, scope, http, certificate, in_use: None, unreadable: None }
    }

    /// Loads a stored certificate, and orders or renews one if that is due and no other process does it. A failure is
    /// logged and stored; it never stops the service.
    pub async fn run_once(&mut self) {
        let state = self.apply_stored().await;
        let Some(state) = state else { return };
        let Some(work) = due_work(&state, self.ports.clock.now()) else { return };
        match self.perform(work).await {
            Ok(()) => {
                self.apply_stored().await;
            }
            Err(error) => tracing::warn!(%error, "certificate state not stored"),
        }
    }

    /// Puts a stored certificate in use that is not yet, and returns the stored state; `None` if storage fails.
    pub async fn apply_stored(&mut self) -> Option<CertificateState> {
        let state = match self.ports.store.load_certificate(&self.scope).await {
            Ok(state) => state,
            Err(error) => {
                tracing::warn!(%error, "certificate not read");
                return None;
            }
        };
        if let Some((certificate, _)) = &state.certificate
            && self.in_use.as_ref() != Some(&certificate.chain)
        {
            match self.replace(certificate) {
                Ok(()) => {
                    tracing::info!(names = self.scope.key(), valid_until = %certificate.valid_until, "certificate in use");
                }
                // Only at the start: later, processes with different secret keys would replace each other's certificate
                // in turns.
                Err(OrderError::Vault(error)) if self.in_use.is_none() => {
                    let hint = "another secret key sealed it, so a new certificate is ordered";
                    tracing::warn!(%error, hint, "stored certificate not usable");
                    self.unreadable = Some(certificate.chain.clone());
                }
                Err(error) => tracing::warn!(%error, "stored certificate not usable"),
            }
            // An unusable certificate is reported once.
            self.in_use = Some(certificate.chain.clone());
        }
        Some(self.without_unreadable(state))
    }

    fn without_unreadable(&self, mut state: CertificateState) -> CertificateState {
        state.certificate =
            state.certificate.filter(|(certificate, _)| self.unreadable.as_ref() != Some(&certificate.chain));
        state
    }

    fn replace(&self, certificate: &IssuedCertificate) -> Result<(), OrderError> {
        let key = self.ports.vault.open(&self.key_context(), &certificate.sealed_key)?;
        self.certificate.replace(&certificate.chain, &String::from_utf8_lossy(&key))?;
        Ok(())
    }

    async fn perform(&self, work: CertificateWork) -> Result<(), StoreError> {
        let now = self.ports.clock.now();
        let process_id = self.ports.process_id;
        if !self.ports.store.claim_certificate(&self.scope, process_id, now, now + CLAIM_TTL).await? {
            return Ok(());
        }
        // Another process may have done the work before the claim.
        let state = self.without_unreadable(self.ports.store.load_certificate(&self.scope).await?);
        match (due_work(&state, now), &state.certificate) {
            (Some(CertificateWork::Order), _) => self.order_and_save(&state).await,
            (Some(CertificateWork::Check), Some((certificate, plan))) => {
                let account = timeout(ORDER_TIMEOUT, self.account()).await;
                let account = account.ok().and_then(Result::ok);
                let plan = self.plan(account.as_ref(), certificate, Some(plan.renew_at)).await;
                self.ports.store.save_renewal_plan(&self.scope, process_id, plan).await
            }
            (_, Some((_, plan))) => self.ports.store.save_renewal_plan(&self.scope, process_id, *plan).await,
            (_, None) => {
                tracing::debug!(?work, "certificate work no longer due");
                Ok(())
            }
        }
    }

    async fn order_and_save(&self, state: &CertificateState) -> Result<(), StoreError> {
        let names = self.scope.key();
        tracing::info!(names, challenge = self.options.challenge.as_str(), "certificate ordered");
        let previous = state.certificate.as_ref().map(|(certificate, _)| certificate.chain.as_str());
        let ordered = timeout(ORDER_TIMEOUT, self.order(previous)).await.unwrap_or(Err(OrderError::Timeout));
        let (store, process_id) = (&self.ports.store, self.ports.process_id);
        match ordered {
            Ok((account, certificate)) => {
                let plan = self.plan(Some(&account), &certificate, None).await;
                let is_saved = store.save_certificate(&self.scope, process_id, &certificate, plan).await?;
                tracing::info!(names, is_saved, renew_at = %plan.renew_at, "certificate issued");
                Ok(())
            }
            Err(error) => {
                let retry_at = retry_time(state.failures + 1, self.ports.clock.now(), self.jitter());
                let hint = match self.options.challenge {
                    ChallengeKind::Http => "each name must lead to INBOXD_HTTP_REDIRECT_ADDR by port 80",
                    ChallengeKind::TlsAlpn => "each name must lead to a TLS listener of INBOXD_HTTP_ADDR by port 443",
                };
                tracing::warn!(names, %error, %retry_at, hint, "certificate order failed");
                store.save_certificate_failure(&self.scope, process_id, &error.to_string(), retry_at).await
            }
        }
    }

    /// Returns the times of a certificate: by the window of the server if it has one (RFC 9773). `current` is the time of
    /// renewal so far; a new certificate has none.
    async fn plan(
        &self,
        account: Option<&Account>,
        certificate: &IssuedCertificate,
        current: Option<OffsetDateTime>,
    ) -> RenewalPlan {
        let now = self.ports.clock.now();
        let window = match account {
            Some(account) => {
                let window = timeout(WINDOW_TIMEOUT, renewal_window(account, certificate)).await;
                window.unwrap_or_else(|_| Err("no response in time".to_owned()))
            }
            None => Err("no account".to_owned()),
        };
        let (valid_from, valid_until) = (certificate.valid_from, certificate.valid_until);
        let (renew_at, interval) = match window {
            Ok((start, end, interval)) => (plan_in_window(current, start, end, self.jitter()), Some(interval)),
            Err(reason) => {
                tracing::debug!(reason, "no renewal window");
                (current.unwrap_or_else(|| renewal_time(valid_from, valid_until, self.jitter())), None)
            }
        };
        let issued_at = current.is_none().then_some(now);
        let bounded = bounded_renewal(renew_at, issued_at, valid_from, valid_until);
        let check_at = next_check(now, interval);
        // The next query has no lower bound. A window in the past would cause an order at it, and so would the window
        // of each new certificate.
        let check_at = if issued_at.is_some() && bounded > renew_at { check_at.max(bounded) } else { check_at };
        RenewalPlan { renew_at: bounded, check_at }
    }

    fn jitter(&self) -> Jitter {
        let mut bytes = [0; 4];
        self.ports.random.fill(&mut bytes);
        Jitter(u32::from_be_bytes(bytes))
    }
}

/// Returns start and end of the renewal window, and the interval of queries for it.
async fn renewal_window(
    account: &Account,
    certificate: &IssuedCertificate,
) -> Result<(OffsetDateTime, OffsetDateTime, time::Duration), String> {
    let leaf = CertificateDer::from_pem_slice(certificate.chain.as_bytes()).map_err(|error| error.to_string())?;
    let id = CertificateIdentifier::try_from(&leaf)?;
    let (info, interval) = account.renewal_info(&id).await.map_err(|error| error.to_string())?;
    let interval = time::Duration::try_from(interval).unwrap_or(time::Duration::DAY);
    Ok((info.suggested_window.start, info.suggested_window.end, interval))
}
