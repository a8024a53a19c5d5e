//! Context of a tool call: caller, application, paging, idempotency and waiting.

use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use inboxd_core::app::{self, App, Repeatable, SendResult};
use inboxd_core::model::ids::IdError;
use inboxd_core::model::{
    Caller, Direction, IdempotencyClaim, InboxId, MessageId, PageRequest, RequiredPermission, Scope,
};
use inboxd_core::rules::authorization::AuthorizedCaller;
use inboxd_core::rules::names;
use inboxd_core::{Error, FieldError, Resource};

use super::arguments::WholeNumber;
use super::progress::ProgressReporter;
use super::request::McpRequest;
use crate::admission::AdmissionSlot;
use crate::error::ApiError;
use crate::page_token::TokenBinding;
use crate::path;
use crate::query::{PAGE_TOKEN, Paging};
use crate::retry_dedup::{DeliveryReceipt, RequestDigest, SendRole, digest_of};
use crate::state::State;

/// Items of a page without a limit. Models read lists in small pages.
const DEFAULT_PAGE_ITEMS: u32 = 10;
/// Maximum number of items of a page.
pub(crate) const MAX_PAGE_ITEMS: u64 = 200;

/// The `limit` argument of a list.
pub(crate) type PageLimit = WholeNumber<1, MAX_PAGE_ITEMS>;

/// Context of a call. Clones belong to the same call.
#[derive(Clone)]
pub(crate) struct ToolContext(Arc<CallState>);

struct CallState {
    request: McpRequest,
    /// Digest of the tool and its arguments, without page and idempotency key.
    digest: RequestDigest,
    progress: Option<ProgressReporter>,
    slot: Mutex<Option<AdmissionSlot>>,
    /// Delivery of the result of a send without an idempotency key.
    receipt: Mutex<Option<DeliveryReceipt>>,
}

impl ToolContext {
    pub(super) fn new(request: McpRequest, digest: RequestDigest, progress: Option<ProgressReporter>) -> Self {
        Self(Arc::new(CallState { request, digest, progress, slot: Mutex::default(), receipt: Mutex::default() }))
    }

    /// Returns the application.
    pub(crate) fn app(&self) -> &App {
        &self.state().app
    }

    /// Returns the state of the HTTP worker: base URL, live feed, admission.
    pub(crate) fn state(&self) -> &State {
        self.0.request.state()
    }

    /// Returns the caller.
    pub(crate) fn caller(&self) -> &Arc<Caller> {
        self.0.request.caller()
    }

    /// Returns the hash of the caller's key.
    pub(crate) fn key_hash(&self) -> [u8; 32] {
        self.0.request.key_hash()
    }

    /// Returns the reporter of progress, where the client wants any.
    pub(crate) fn progress(&self) -> Option<&ProgressReporter> {
        self.0.progress.as_ref()
    }

    /// Adds a fix that suits the caller to the error of a rule.
    pub(crate) fn with_fix<T>(&self, checked: Result<T, Error>) -> Result<T, ApiError> {
        checked.map_err(|error| ApiError::with_fix(error, self.caller()))
    }

    /// Authorizes the caller within a scope.
    ///
    /// # Errors
    /// The refusal of scope, role, permission or a suspended organization.
    pub(crate) fn authorize<P: RequiredPermission>(&self, scope: Scope) -> Result<AuthorizedCaller<P>, ApiError> {
        self.with_fix(AuthorizedCaller::new(Arc::clone(self.caller()), scope))
    }

    /// Authorizes the caller across everything that they reach.
    ///
    /// # Errors
    /// As [`Self::authorize`].
    pub(crate) fn authorize_all<P: RequiredPermission>(&self) -> Result<AuthorizedCaller<P>, ApiError> {
        self.authorize(Scope::Organization)
    }

    /// Authorizes the caller in the inbox that an argument names, and returns the inbox.
    ///
    /// # Errors
    /// As [`Self::authorize`].
    pub(crate) fn authorize_inbox<P: RequiredPermission>(
        &self,
        inbox_id: &str,
    ) -> Result<(AuthorizedCaller<P>, InboxId), ApiError> {
        let inbox_id = path::inbox_id(inbox_id);
        Ok((self.authorize(Scope::Inbox(inbox_id.clone()))?, inbox_id))
    }

    /// Returns the page that the arguments ask for. A page token belongs to the tool with the same other arguments.
    ///
    /// # Errors
    /// 422 for a token that this list did not return.
    pub(crate) fn paging(
        &self,
        limit: Option<PageLimit>,
        page_token: Option<&str>,
        direction: Direction,
    ) -> Result<Paging, ApiError> {
        let key = self.app().settings.signing_key.clone();
        let organization_id = self.caller().organization.organization_id.to_string();
        let digest = URL_SAFE_NO_PAD.encode(self.0.digest);
        let scope = TokenBinding::of(&key, &[organization_id, digest]);
        let after = match page_token.filter(|token| !token.is_empty()) {
            Some(token) => Some(scope.place(&key, token).ok_or_else(|| {
                let message = "is not a token that this list returned with the same filters and order";
                Error::Invalid(vec![FieldError::new(PAGE_TOKEN, message)])
            })?),
            None => None,
        };
        let limit = limit.map_or(DEFAULT_PAGE_ITEMS, |limit| u32::try_from(limit.0).unwrap_or(DEFAULT_PAGE_ITEMS));
        Ok(Paging::new(PageRequest { limit, after, direction }, scope, key))
    }

    /// Sends at most once for an idempotency key: a repeat of the call returns the first result.
    ///
    /// Without a key, a repeat is recognized while the first call runs, and for a minute after a client that hung up before
    /// its result; see [`crate::retry_dedup`].
    ///
    /// # Errors
    /// The errors of the send; 422 for a bad key; 409 for a key that another call used.
    pub(crate) async fn send_once<Sending: Future<Output = Result<SendResult, Error>>>(
        &self,
        key: Option<String>,
        send: impl FnOnce(Option<IdempotencyClaim>) -> Sending,
    ) -> Result<SendResult, ApiError> {
        let Some(key) = key else { return self.send_unless_repeated(send).await };
        let refused = |message| Error::Invalid(vec![FieldError::new("idempotency_key", message)]);
        names::validate_idempotency_key(&key).map_err(refused)?;
        let repeatable = Some(Repeatable { key, request: self.0.digest });
        Ok(app::once(self.app(), self.caller(), repeatable, send).await?)
    }

    async fn send_unless_repeated<Sending: Future<Output = Result<SendResult, Error>>>(
        &self,
        send: impl FnOnce(Option<IdempotencyClaim>) -> Sending,
    ) -> Result<SendResult, ApiError> {
        let credential = self.caller().api_key_id.map(|id| id.0.into_bytes()).unwrap_or_default();
        let digest = digest_of(&[&credential, &self.0.digest]);
        loop {
            match self.state().sends.enter(digest) {
                SendRole::First(guard, receipt) => {
                    self.expect_delivery(receipt);
                    let outcome = send(None).await;
                    guard.done(outcome.as_ref().ok());
                    return Ok(outcome?);
                }
                SendRole::Repeat(waiter, receipt) => {
                    if let Some(sent) = waiter.outcome().await {
                        self.expect_delivery(receipt);
                        return Ok(sent);
                    }
                    // The first send was refused; this call now performs its own.
                }
            }
        }
    }

    fn expect_delivery(&self, receipt: DeliveryReceipt) {
        *self.0.receipt.lock().unwrap_or_else(PoisonError::into_inner) = Some(receipt);
    }

    /// Passes the result to the client. Without this the result counts as lost.
    pub(super) fn delivered(&self) {
        let receipt = self.0.receipt.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(receipt) = receipt {
            self.0.request.deliver(receipt);
        }
    }

    /// Frees the permits of the call before it waits for an event.
    pub(crate) fn rest(&self) {
        self.0.request.rest();
        self.hold(None);
    }

    /// Waits for an admission slot: one for sends, or one for other requests that use the database.
    pub(super) async fn enter(&self, is_sending: bool) -> Result<(), ApiError> {
        let admission = if is_sending { &self.state().sends_admission } else { &self.state().admission };
        self.hold(Some(admission.enter(self.caller().organization.organization_id).await?));
        Ok(())
    }

    fn hold(&self, slot: Option<AdmissionSlot>) {
        let before = std::mem::replace(&mut *self.0.slot.lock().unwrap_or_else(PoisonError::into_inner), slot);
        before.into_iter().for_each(AdmissionSlot::finish);
    }
}

/// Reads a message id, with or without its angle brackets.
pub(crate) fn message_id(text: &str) -> MessageId {
    path::message_id(text)
}

/// Reads the id of a resource.
///
/// # Errors
/// 404, as for an id that no resource has.
pub(crate) fn parse_id<T: std::str::FromStr<Err = IdError>>(text: &str, resource: Resource) -> Result<T, ApiError> {
    text.parse().map_err(|_| Error::not_found(resource, path::harmless(text)).into())
}
