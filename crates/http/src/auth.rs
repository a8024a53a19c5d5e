//! Who calls. A handler that takes an [`Authenticated`] runs only for a key that works; no octet of the body is read before.

use std::future::{Ready, ready};
use std::net::{IpAddr, Ipv4Addr};

use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpRequest, web};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use inboxd_core::app::{App, authenticate};
use inboxd_core::model::{ApiKeyId, AttachmentId, Caller, InboxId, MemberId, MessageId, Permission, ThreadId};
use inboxd_core::rules::access;
use inboxd_core::{Error, Resource};

use crate::body::{self, Request};
use crate::error::ApiError;
use crate::path;
use crate::query::Query;
use crate::state::State;

/// The most octets of a body that comes without a key.
const LARGEST_OPEN_BODY: usize = 64 * 1024;

/// A call that needs no key.
pub(crate) struct Open {
    pub(crate) state: web::Data<State>,
    pub(crate) request: HttpRequest,
    payload: Payload,
}

impl Open {
    pub(crate) fn app(&self) -> &App {
        &self.state.app
    }

    /// Refuses a client address that calls too often without a key.
    pub(crate) fn limit(&self) -> Result<(), ApiError> {
        // A connection without an address comes from this machine.
        let client = self.request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip());
        self.state.limiter.check(client).map_err(ApiError::too_many_requests)
    }

    /// Reads the body of a call without a key: a few fields, never a mail.
    pub(crate) async fn body<T: Request + Send + 'static>(&mut self) -> Result<T, ApiError> {
        self.body_of(LARGEST_OPEN_BODY.min(self.state.body_limit)).await
    }

    async fn body_of<T: Request + Send + 'static>(&mut self, limit: usize) -> Result<T, ApiError> {
        body::read(&self.request, &mut self.payload, limit).await
    }

    fn of(request: &HttpRequest, payload: &mut Payload) -> Result<Self, ApiError> {
        let state = request
            .app_data::<web::Data<State>>()
            .cloned()
            .ok_or_else(|| ApiError::internal("the server was built without its state"))?;
        Ok(Self { state, request: request.clone(), payload: payload.take() })
    }
}

impl FromRequest for Open {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        ready(Self::of(request, payload))
    }
}

/// A call with a key that works.
pub(crate) struct Authenticated {
    call: Open,
    pub(crate) caller: Caller,
}

impl FromRequest for Authenticated {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let call = Open::of(request, payload);
        async move {
            let call = call?;
            let key = bearer(&call.request).ok_or_else(ApiError::missing_authorization)?;
            let caller = authenticate(call.app(), key).await?;
            Ok(Self { call, caller })
        }
        .boxed_local()
    }
}

/// The key of `Authorization: Bearer …` (RFC 6750, section 2.1); the scheme's case does not count.
fn bearer(request: &HttpRequest) -> Option<&str> {
    let (scheme, key) = request.headers().get(AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    let key = key.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !key.is_empty()).then_some(key)
}

impl Authenticated {
    pub(crate) fn app(&self) -> &App {
        &self.call.state.app
    }

    pub(crate) fn state(&self) -> &State {
        &self.call.state
    }

    pub(crate) fn request(&self) -> &HttpRequest {
        &self.call.request
    }

    /// Refuses a caller who lacks a permission.
    pub(crate) fn require(&self, permission: Permission) -> Result<(), ApiError> {
        Ok(access::require(&self.caller, permission)?)
    }

    /// Refuses a caller who may not do this to the people of the organization.
    pub(crate) fn require_people(&self, permission: Permission) -> Result<(), ApiError> {
        Ok(access::require_people(&self.caller, permission)?)
    }

    /// The inbox of the path, for a caller whose key reaches it and holds a permission.
    pub(crate) fn inbox(&self, permission: Permission) -> Result<InboxId, ApiError> {
        let inbox_id = path::inbox_id(&self.path("inbox_id"));
        access::require_inbox(&self.caller, &inbox_id)?;
        self.require(permission)?;
        Ok(inbox_id)
    }

    /// The message of the path.
    pub(crate) fn message_id(&self) -> MessageId {
        path::message_id(&self.path("message_id"))
    }

    /// The thread of the path.
    pub(crate) fn thread_id(&self) -> Result<ThreadId, ApiError> {
        self.id("thread_id", Resource::Thread)
    }

    /// The attachment of the path.
    pub(crate) fn attachment_id(&self) -> Result<AttachmentId, ApiError> {
        self.id("attachment_id", Resource::Attachment)
    }

    /// The API key of the path.
    pub(crate) fn api_key_id(&self) -> Result<ApiKeyId, ApiError> {
        self.id("api_key_id", Resource::ApiKey)
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
    pub(crate) fn query(&self) -> Query {
        Query::of(self.call.request.query_string())
    }

    /// Reads the body.
    pub(crate) async fn body<T: Request + Send + 'static>(&mut self) -> Result<T, ApiError> {
        self.call.body_of(self.call.state.body_limit).await
    }
}
