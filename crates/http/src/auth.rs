//! Request authentication: extractors for requests with and without an API key.
//!
//! A handler that takes an [`AuthenticatedRequest`] runs only with a valid key. No byte of the body is read before.

use std::future::{Ready, ready};
use std::net::IpAddr;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use inboxd_core::Error;
use inboxd_core::app::inboxes::{InboxChange, MetadataChange};
use inboxd_core::app::{App, authenticate};
use inboxd_core::model::api_key::hash_key;
use inboxd_core::model::{Caller, OrganizationId, Permission};
use inboxd_core::ports::WorkOwner;
use inboxd_core::rules::access;
use inboxd_core::rules::networks::ClientNetwork;

use crate::admission::{AdmissionSlot, AdmissionSlotHolder};
use crate::body::{self, BodyRequest, BodyType, MemoryShare, ReadBody};
use crate::client_address;
use crate::error::{ApiError, ConnectedCaller};
use crate::pages::Form;
use crate::query::QueryReader;
use crate::retry_dedup::RequestDigest;
use crate::standby;
use crate::state::State;
use crate::trace_context;

/// Maximum body size in bytes of a request without a key.
const MAX_UNAUTHENTICATED_BODY_BYTES: usize = 64 * 1024;
/// Maximum body size in bytes of a request that contains no message.
const MAX_PLAIN_BODY_BYTES: usize = 1024 * 1024;

/// A request that needs no key.
pub(crate) struct UnauthenticatedRequest {
    pub(crate) state: web::Data<State>,
    pub(crate) request: HttpRequest,
    /// Use cases that read from a standby, once one is chosen.
    on_standby: Option<Box<App>>,
    payload: Payload,
    /// Share of the body memory, reserved until the request ends.
    share: MemoryShare,
    /// Owner of the body's turns on the blocking pool.
    owner: WorkOwner,
}

impl UnauthenticatedRequest {
    pub(crate) fn app(&self) -> &App {
        self.on_standby.as_deref().unwrap_or(&self.state.app)
    }

    /// Reads from a standby from here on, if the request accepts its staleness.
    pub(crate) fn choose_standby(&mut self) {
        self.on_standby = standby::choose(&self.state, &self.request).map(Box::new);
    }

    /// Returns the address of the client.
    pub(crate) fn client(&self) -> IpAddr {
        client_address::of(&self.request)
    }

    /// Limits the rate of requests without a key per client address.
    pub(crate) fn limit(&self) -> Result<(), ApiError> {
        self.state.rates.unauthenticated.check(self.client()).map_err(ApiError::too_many_requests)
    }

    /// Limits the rate of token and revocation requests per client address.
    pub(crate) fn limit_tokens(&self) -> Result<(), ApiError> {
        self.state.rates.tokens.check(self.client()).map_err(ApiError::too_many_requests)
    }

    /// Limits the rate of requests for pages without a valid session per client address.
    pub(crate) fn limit_pages(&self) -> Result<(), ApiError> {
        self.state.rates.pages.check(self.client()).map_err(ApiError::too_many_requests)
    }

    /// Waits for an admission slot of an organization, for requests without a key of it.
    pub(crate) async fn admit(&self, organization_id: OrganizationId) -> Result<(), ApiError> {
        // Without the middleware there is no holder, and the slot is freed at once.
        let holder = self.request.extensions().get::<AdmissionSlotHolder>().cloned().unwrap_or_default();
        if !standby::is_repeated(&self.request) || !holder.is_held() {
            holder.hold(self.state.admission.enter(organization_id).await?);
        }
        Ok(())
    }

    /// Takes the payload as a stream.
    pub(crate) fn incoming(&mut self) -> Payload {
        self.payload.take()
    }

    /// Reads the body of a request without a key, which has a few fields and never a message.
    pub(crate) async fn body<T: BodyRequest + Send + 'static>(&mut self) -> Result<ReadBody<T>, ApiError> {
        self.body_of(MAX_UNAUTHENTICATED_BODY_BYTES).await
    }

    /// Reads a body of form fields.
    pub(crate) async fn form(&mut self) -> Result<Form, ApiError> {
        let bytes = self.raw(BodyType::Form, MAX_UNAUTHENTICATED_BODY_BYTES).await?;
        Ok(Form::parse(&bytes))
    }

    /// Reads the body as raw bytes of any media type.
    pub(crate) async fn content(&mut self, limit: usize) -> Result<Bytes, ApiError> {
        self.raw(BodyType::Any, limit).await
    }

    /// Reads the body as raw bytes.
    pub(crate) async fn bytes(&mut self, limit: usize) -> Result<Bytes, ApiError> {
        self.raw(BodyType::Json, limit).await
    }

    async fn raw(&mut self, body_type: BodyType, limit: usize) -> Result<Bytes, ApiError> {
        body::read_bytes(&self.request, &mut self.payload, body_type, limit, &mut self.share).await
    }

    /// Reads a body up to the configured limit, with its SHA-256.
    async fn body_with_digest<T: BodyRequest + Send + 'static>(
        &mut self,
    ) -> Result<(ReadBody<T>, RequestDigest), ApiError> {
        let limit = self.state.body_limit;
        body::read_with_digest(&self.state.app, self.owner, &self.request, &mut self.payload, limit, &mut self.share)
            .await
    }

    async fn body_of<T: BodyRequest + Send + 'static>(&mut self, limit: usize) -> Result<ReadBody<T>, ApiError> {
        let limit = limit.min(self.state.body_limit);
        body::read(&self.state.app, self.owner, &self.request, &mut self.payload, limit, &mut self.share).await
    }

    /// Authenticates the caller by the header `Authorization`.
    pub(crate) async fn authenticated(self) -> Result<AuthenticatedRequest, ApiError> {
        let request = self.request.clone();
        let key = bearer(&request).ok_or_else(ApiError::missing_authorization)?;
        self.authenticated_by(key).await
    }

    /// Authenticates the caller by a key, checks the rate of the key and waits for an admission slot.
    pub(crate) async fn authenticated_by(self, key: &str) -> Result<AuthenticatedRequest, ApiError> {
        let caller = authenticate(self.app(), key).await?;
        self.authenticated_as(caller, hash_key(key)).await
    }

    /// Checks the rate of an authenticated caller and waits for an admission slot, both once for a request that the primary
    /// repeats. `key_hash` is the hash of the key, or of the token of the browser session.
    pub(crate) async fn authenticated_as(
        mut self,
        caller: Caller,
        key_hash: [u8; 32],
    ) -> Result<AuthenticatedRequest, ApiError> {
        let organization_id = caller.organization.organization_id;
        let is_repeated = standby::is_repeated(&self.request);
        if !is_repeated {
            self.state.rates.keys.check(caller.api_key_id, organization_id)?;
        }
        self.share = self.state.memory.share(ClientNetwork::of(self.client()).network, Some(organization_id));
        self.owner = WorkOwner::Organization(organization_id);
        // Without the middleware there is no holder, and only this request holds the slot.
        let slot = self.request.extensions().get::<AdmissionSlotHolder>().cloned().unwrap_or_default();
        let (client_address, traceparent) = (Some(self.client()), trace_context::cause_of(&self.request));
        let caller = Arc::new(Caller { client_address, traceparent, ..caller });
        if caller.connection.is_some() {
            self.request.extensions_mut().insert(ConnectedCaller(Arc::clone(&caller)));
        }
        let mut call = AuthenticatedRequest { call: self, caller, key_hash, slot };
        if !is_repeated || !call.slot.is_held() {
            call.wait_for_turn().await?;
        }
        call.call.choose_standby();
        Ok(call)
    }

    pub(crate) fn of(request: &HttpRequest, payload: &mut Payload) -> Result<Self, ApiError> {
        let state = request
            .app_data::<web::Data<State>>()
            .cloned()
            .ok_or_else(|| ApiError::internal("the server state is missing"))?;
        let client = client_address::of(request);
        let share = state.memory.share(ClientNetwork::of(client).network, None);
        Ok(Self {
            state,
            request: request.clone(),
            on_standby: None,
            payload: payload.take(),
            share,
            owner: WorkOwner::of_client(client),
        })
    }
}

impl FromRequest for UnauthenticatedRequest {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        ready(Self::of(request, payload))
    }
}

/// A request with a valid key.
pub(crate) struct AuthenticatedRequest {
    call: UnauthenticatedRequest,
    pub(crate) caller: Arc<Caller>,
    /// Hash of the key, for rechecks of the caller during long requests.
    pub(crate) key_hash: [u8; 32],
    /// Admission slot of the request.
    slot: AdmissionSlotHolder,
}

impl FromRequest for AuthenticatedRequest {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let call = UnauthenticatedRequest::of(request, payload);
        async move { call?.authenticated().await }.boxed_local()
    }
}

/// Returns the key of `Authorization: Bearer …` (RFC 6750, section 2.1). The scheme is case-insensitive.
pub(crate) fn bearer(request: &HttpRequest) -> Option<&str> {
    let (scheme, key) = request.headers().get(AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    let key = key.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !key.is_empty()).then_some(key)
}

impl AuthenticatedRequest {
    /// Requires disk space for a change that stores more than the status of an inbox.
    pub(crate) fn require_space_for(&self, change: &InboxChange) -> Result<(), ApiError> {
        let is_growing = change.display_name.is_some() || !matches!(change.metadata, MetadataChange::Keep);
        if is_growing && !self.app().capacity.has_space() { Err(ApiError::no_space()) } else { Ok(()) }
    }

    pub(crate) fn app(&self) -> &App {
        self.call.app()
    }

    pub(crate) fn state(&self) -> &State {
        &self.call.state
    }

    pub(crate) fn request(&self) -> &HttpRequest {
        &self.call.request
    }

    /// Waits for an admission slot.
    async fn wait_for_turn(&self) -> Result<(), ApiError> {
        self.slot.hold(self.state().admission.enter(self.caller.organization.organization_id).await?);
        Ok(())
    }

    /// Frees the admission slot before the request waits for its client or for an event.
    pub(crate) fn rest(&self) {
        self.slot.finish();
    }

    /// Replaces the admission slot with one for sends.
    pub(crate) async fn wait_to_send(&self) -> Result<(), ApiError> {
        self.rest();
        self.slot.hold(self.state().sends_admission.enter(self.caller.organization.organization_id).await?);
        Ok(())
    }

    /// Requires a permission of the caller.
    pub(crate) fn require(&self, permission: Permission) -> Result<(), ApiError> {
        self.with_fix(access::require(&self.caller, permission))
    }

    /// Requires a permission of the key. The role of a person does not matter: it permits everything on their own
    /// connections.
    pub(crate) fn require_granted(&self, permission: Permission) -> Result<(), ApiError> {
        let is_granted = self.caller.permissions.as_ref().is_none_or(|map| map.grants(permission));
        match self.caller.member {
            Some(_) if is_granted => Ok(()),
            Some(_) => self.with_fix(Err(Error::MissingPermission(permission))),
            None => self.require(permission),
        }
    }

    /// Adds a fix that suits the caller to the error of a rule.
    pub(crate) fn with_fix<T>(&self, checked: Result<T, Error>) -> Result<T, ApiError> {
        checked.map_err(|error| ApiError::with_fix(error, &self.caller))
    }

    /// Returns a reader for the query parameters.
    pub(crate) fn query(&self) -> QueryReader {
        QueryReader::of(self.call.request.query_string())
    }

    /// Returns the request without its caller.
    pub(crate) fn unauthenticated(&self) -> &UnauthenticatedRequest {
        &self.call
    }

    /// Reads a form, possibly with files.
    pub(crate) async fn form(&mut self) -> Result<Form, ApiError> {
        self.rest();
        // Only the composer sends files, as multipart.
        let has_files = Form::is_multipart(&self.call.request);
        let limit = if has_files { self.call.state.body_limit } else { MAX_PLAIN_BODY_BYTES };
        let bytes = self.call.raw(BodyType::PageForm, limit).await?;
        self.wait_for_turn().await?;
        Form::of_body(self.request(), bytes).await
    }

    /// Reads the body as raw bytes, without an admission slot then and afterwards.
    pub(crate) async fn bytes(&mut self, limit: usize) -> Result<Bytes, ApiError> {
        self.rest();
        self.call.bytes(limit).await
    }

    /// Reads the body of a request that contains no message.
    pub(crate) async fn body<T: BodyRequest + Send + 'static>(&mut self) -> Result<ReadBody<T>, ApiError> {
        self.rest();
        let read = self.call.body_of(MAX_PLAIN_BODY_BYTES).await?;
        self.wait_for_turn().await?;
        Ok(read)
    }

    /// Reads the body of a send with its digest and waits for a send slot.
    pub(crate) async fn sending<T: BodyRequest + Send + 'static>(
        &mut self,
    ) -> Result<(ReadBody<T>, RequestDigest), ApiError> {
        self.rest();
        let read = self.call.body_with_digest().await?;
        self.wait_to_send().await?;
        Ok(read)
    }

    /// Returns the parts that outlive the connection: the application, the memory share and the admission slot.
    pub(crate) fn into_parts(self) -> (App, MemoryShare, Option<AdmissionSlot>) {
        (self.call.app().clone(), self.call.share, self.slot.take())
    }

    /// Reads the body of a request that contains a message, possibly with attachments.
    pub(crate) async fn letter<T: BodyRequest + Send + 'static>(&mut self) -> Result<ReadBody<T>, ApiError> {
        self.rest();
        let read = self.call.body_of(self.call.state.body_limit).await?;
        self.wait_for_turn().await?;
        Ok(read)
    }
}
