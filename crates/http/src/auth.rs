//! Who calls. A handler that takes an [`AuthenticatedRequest`] runs only for a key that works; no octet of the body is read before.

use std::future::{Ready, ready};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use inboxd_core::app::inboxes::{InboxChange, MetadataChange};
use inboxd_core::app::{App, authenticate};
use inboxd_core::model::api_key::hash_key;
use inboxd_core::model::{
    ApiKeyId, AttachmentId, Caller, DomainId, DraftId, InboxId, MemberId, MessageId, NoteId, OrganizationId,
    Permission, PodId, ThreadId, WebhookId,
};
use inboxd_core::ports::WorkOwner;
use inboxd_core::rules::access;
use inboxd_core::rules::networks::ClientNetwork;
use inboxd_core::{Error, Resource};

use crate::admission::{AdmissionSlot, AdmissionSlotHolder};
use crate::body::{self, BodyRequest, MemoryShare, ReadBody};
use crate::error::ApiError;
use crate::path;
use crate::query::QueryReader;
use crate::retry_dedup::RequestDigest;
use crate::state::State;

/// The most octets of a body that comes without a key.
const MAX_UNAUTHENTICATED_BODY_BYTES: usize = 64 * 1024;
/// The most octets of a body that is no letter.
const MAX_PLAIN_BODY_BYTES: usize = 1024 * 1024;

/// A call that needs no key.
pub(crate) struct UnauthenticatedRequest {
    pub(crate) state: web::Data<State>,
    pub(crate) request: HttpRequest,
    payload: Payload,
    /// What the body takes of the memory, for as long as the call lasts.
    share: MemoryShare,
    /// Whose turns the body takes on the blocking pool.
    owner: WorkOwner,
}

impl UnauthenticatedRequest {
    pub(crate) fn app(&self) -> &App {
        &self.state.app
    }

    /// Returns the address of the client.
    pub(crate) fn client(&self) -> IpAddr {
        client_of(&self.request)
    }

    /// Refuses a client address that calls too often without a key.
    pub(crate) fn limit(&self) -> Result<(), ApiError> {
        self.state.limiter.check(self.client()).map_err(ApiError::too_many_requests)
    }

    /// Waits for a place among the running requests of an organization whose key the call does not have.
    pub(crate) async fn admit(&self, organization_id: OrganizationId) -> Result<(), ApiError> {
        let slot = self.state.admission.enter(organization_id).await?;
        // Without the middleware there is no holder, and the place is free at once.
        if let Some(holder) = self.request.extensions().get::<AdmissionSlotHolder>() {
            holder.hold(slot);
        }
        Ok(())
    }

    /// What comes in on the connection, as it comes.
    pub(crate) fn incoming(&mut self) -> Payload {
        self.payload.take()
    }

    /// Reads the body of a call without a key: a few fields, never a mail.
    pub(crate) async fn body<T: BodyRequest + Send + 'static>(&mut self) -> Result<ReadBody<T>, ApiError> {
        self.body_of(MAX_UNAUTHENTICATED_BODY_BYTES).await
    }

    /// Reads a body as it came.
    pub(crate) async fn bytes(&mut self, limit: usize) -> Result<Bytes, ApiError> {
        body::read_bytes(&self.request, &mut self.payload, limit, &mut self.share).await
    }

    /// Reads a body of any size with the SHA-256 of its octets.
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

    /// Finds out who calls, counts the request for its key, and waits for its turn.
    pub(crate) async fn authenticated(mut self) -> Result<AuthenticatedRequest, ApiError> {
        let key = bearer(&self.request).ok_or_else(ApiError::missing_authorization)?;
        let caller = authenticate(self.app(), key).await?;
        self.state.key_rates.check(caller.api_key_id, caller.organization.organization_id)?;
        let key_hash = hash_key(key);
        let organization_id = caller.organization.organization_id;
        self.share =
            self.state.memory.share(ClientNetwork::of(client_of(&self.request)).network, Some(organization_id));
        self.owner = WorkOwner::Organization(organization_id);
        // Without the middleware there is none, and the slot is held by the call alone.
        let slot = self.request.extensions().get::<AdmissionSlotHolder>().cloned().unwrap_or_default();
        let call = AuthenticatedRequest { call: self, caller: Arc::new(caller), key_hash, slot };
        call.wait_for_turn().await?;
        Ok(call)
    }

    pub(crate) fn of(request: &HttpRequest, payload: &mut Payload) -> Result<Self, ApiError> {
        let state = request
            .app_data::<web::Data<State>>()
            .cloned()
            .ok_or_else(|| ApiError::internal("the server was built without its state"))?;
        let share = state.memory.share(ClientNetwork::of(client_of(request)).network, None);
        Ok(Self {
            state,
            request: request.clone(),
            payload: payload.take(),
            share,
            owner: WorkOwner::of_client(client_of(request)),
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

/// A call with a key that works.
pub(crate) struct AuthenticatedRequest {
    call: UnauthenticatedRequest,
    pub(crate) caller: Arc<Caller>,
    /// The hash of the key, by which the caller is looked up again while a call goes on.
    pub(crate) key_hash: [u8; 32],
    /// The place of the request among those that run.
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

/// The address of the client; a connection without one comes from this machine.
fn client_of(request: &HttpRequest) -> IpAddr {
    request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip())
}

/// Returns the network of the client.
pub(crate) fn client_network(request: &HttpRequest) -> IpAddr {
    ClientNetwork::of(client_of(request)).network
}

/// The key of `Authorization: Bearer …` (RFC 6750, section 2.1); the scheme's case does not count.
pub(crate) fn bearer(request: &HttpRequest) -> Option<&str> {
    let (scheme, key) = request.headers().get(AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    let key = key.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !key.is_empty()).then_some(key)
}

impl AuthenticatedRequest {
    /// Refuses to change more than the status of an inbox while disk space is low.
    pub(crate) fn require_space_for(&self, change: &InboxChange) -> Result<(), ApiError> {
        let is_growing = change.display_name.is_some() || !matches!(change.metadata, MetadataChange::Keep);
        if is_growing && !self.app().capacity.has_space() { Err(ApiError::no_space()) } else { Ok(()) }
    }

    pub(crate) fn app(&self) -> &App {
        &self.call.state.app
    }

    pub(crate) fn state(&self) -> &State {
        &self.call.state
    }

    pub(crate) fn request(&self) -> &HttpRequest {
        &self.call.request
    }

    /// Waits until the request may run.
    async fn wait_for_turn(&self) -> Result<(), ApiError> {
        self.slot.hold(self.state().admission.enter(self.caller.organization.organization_id).await?);
        Ok(())
    }

    /// Gives the place of the request back, which waits for its client or for an event from here on.
    pub(crate) fn rest(&self) {
        self.slot.finish();
    }

    /// Changes from the requests that run to the sends.
    pub(crate) async fn wait_to_send(&self) -> Result<(), ApiError> {
        self.rest();
        self.slot.hold(self.state().sends_admission.enter(self.caller.organization.organization_id).await?);
        Ok(())
    }

    /// Refuses a caller who lacks a permission.
    pub(crate) fn require(&self, permission: Permission) -> Result<(), ApiError> {
        self.with_fix(access::require(&self.caller, permission))
    }

    /// What a rule says of the caller, with a next step for them.
    pub(crate) fn with_fix<T>(&self, checked: Result<T, Error>) -> Result<T, ApiError> {
        checked.map_err(|error| ApiError::with_fix(error, &self.caller))
    }

    /// The pod of the path.
    pub(crate) fn pod_id(&self) -> Result<PodId, ApiError> {
        self.id("pod_id", Resource::Pod)
    }

    /// The message of the path. Where its decoded id names nothing, some clients mean what stands there literally.
    pub(crate) async fn message_id(&self, inbox_id: &InboxId) -> Result<MessageId, ApiError> {
        let decoded = path::message_id(&self.path("message_id"));
        let Some(literal) = path::literal_message_id(&self.call.request) else { return Ok(decoded) };
        let organization_id = self.caller.organization.organization_id;
        let readable = access::readable(&self.caller);
        let exists = async |id: &MessageId| {
            self.app().store.message(organization_id, inbox_id, id, readable).await.map(|found| found.is_some())
        };
        let is_literal = !exists(&decoded).await? && exists(&literal).await?;
        Ok(if is_literal { literal } else { decoded })
    }

    /// The thread of the path.
    pub(crate) fn thread_id(&self) -> Result<ThreadId, ApiError> {
        self.id("thread_id", Resource::Thread)
    }

    /// The attachment of the path.
    pub(crate) fn attachment_id(&self) -> Result<AttachmentId, ApiError> {
        self.id("attachment_id", Resource::Attachment)
    }

    /// The note of the path.
    pub(crate) fn note_id(&self) -> Result<NoteId, ApiError> {
        self.id("note_id", Resource::Note)
    }

    /// The draft of the path.
    pub(crate) fn draft_id(&self) -> Result<DraftId, ApiError> {
        self.id("draft_id", Resource::Draft)
    }

    /// The API key of the path.
    pub(crate) fn api_key_id(&self) -> Result<ApiKeyId, ApiError> {
        self.id("api_key_id", Resource::ApiKey)
    }

    /// The domain of the path.
    pub(crate) fn domain_id(&self) -> Result<DomainId, ApiError> {
        self.id("domain_id", Resource::Domain)
    }

    /// The webhook of the path.
    pub(crate) fn webhook_id(&self) -> Result<WebhookId, ApiError> {
        self.id("webhook_id", Resource::Webhook)
    }

    /// The member of the path.
    pub(crate) fn member_id(&self) -> Result<MemberId, ApiError> {
        self.id("member_id", Resource::Member)
    }

    fn id<T: std::str::FromStr>(&self, name: &str, resource: Resource) -> Result<T, ApiError> {
        let text = self.path(name);
        text.parse().map_err(|_| Error::not_found(resource, path::harmless(&text)).into())
    }

    fn path(&self, name: &str) -> String {
        path::value(&self.call.request, name)
    }

    /// The parameters of the query string.
    pub(crate) fn query(&self) -> QueryReader {
        QueryReader::of(self.call.request.query_string())
    }

    /// Reads the body of a call that brings no letter.
    pub(crate) async fn body<T: BodyRequest + Send + 'static>(&mut self) -> Result<ReadBody<T>, ApiError> {
        self.rest();
        let read = self.call.body_of(MAX_PLAIN_BODY_BYTES).await?;
        self.wait_for_turn().await?;
        Ok(read)
    }

    /// Reads the body of a call that sends, and what tells it from others.
    pub(crate) async fn sending<T: BodyRequest + Send + 'static>(
        &mut self,
    ) -> Result<(ReadBody<T>, RequestDigest), ApiError> {
        self.rest();
        let read = self.call.body_with_digest().await?;
        self.wait_to_send().await?;
        Ok(read)
    }

    /// What outlives the connection: the world, what the body takes of the memory, and the place of the request.
    pub(crate) fn into_parts(self) -> (App, MemoryShare, Option<AdmissionSlot>) {
        (self.call.state.app.clone(), self.call.share, self.slot.take())
    }

    /// Reads a letter, which may have attachments.
    pub(crate) async fn letter<T: BodyRequest + Send + 'static>(&mut self) -> Result<ReadBody<T>, ApiError> {
        self.rest();
        let read = self.call.body_of(self.call.state.body_limit).await?;
        self.wait_for_turn().await?;
        Ok(read)
    }
}
