//! A call by a caller that holds a permission within the scope of the path.
//!
//! A handler that accepts an [`Authorized`] states the permission in its signature. The extractor checks scope and
//! permission before any byte of the body is read, and the OpenAPI document names the permission.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use inboxd_core::model::{InboxId, Permission, PodId, RequiredPermission, Scope};
use inboxd_core::rules::access;
use inboxd_core::rules::authorization::AuthorizedCaller;
use inboxd_core::{Error, Resource};
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterIn};

use crate::auth::{AuthenticatedRequest, UnauthenticatedRequest};
use crate::error::ApiError;
use crate::path;
use crate::query::QueryReader;
use crate::query::formats::{describe, text};

/// A call whose caller holds the permission `P` within the scope that `S` names.
pub(crate) struct Authorized<P, S = PathScope> {
    call: AuthenticatedRequest,
    pub(crate) caller: AuthorizedCaller<P>,
    source: PhantomData<S>,
}

/// The pod and inbox that a request names.
struct NamedScope {
    /// A pod, or a text that is no id of one.
    pod_id: Option<Result<PodId, String>>,
    inbox_id: Option<InboxId>,
}

/// The part of a request that names its scope.
pub(crate) trait ScopeSource: 'static {
    /// The query parameters that name an inbox or a pod within the organization, with their descriptions.
    const PARAMETERS: &'static [(&'static str, &'static str)];

    /// Refuses a path that no endpoint has, before the caller is authorized.
    fn require_path(_: &AuthenticatedRequest) -> Result<(), ApiError> {
        Ok(())
    }
}

/// The scope is in the path.
pub(crate) struct PathScope;

impl ScopeSource for PathScope {
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[];
}

/// The scope is in the path; below the organization the query may name an inbox.
pub(crate) struct InboxQuery;

impl ScopeSource for InboxQuery {
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[("inbox_id", "Only items in this inbox.")];
}

impl IntoParams for InboxQuery {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        scope_parameters::<Self>()
    }
}

/// The scope is in the path; below the organization the query may name an inbox, a pod or both.
pub(crate) struct PartQuery;

impl ScopeSource for PartQuery {
    const PARAMETERS: &'static [(&'static str, &'static str)] =
        &[("inbox_id", "Only this inbox."), ("pod_id", "Only this pod.")];
}

impl IntoParams for PartQuery {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        scope_parameters::<Self>()
    }
}

/// Returns the query parameters of a source as the OpenAPI document lists them.
fn scope_parameters<S: ScopeSource>() -> Vec<Parameter> {
    let parameter = |&(name, description): &(&str, &str)| describe::<Option<String>>(name, &[description], &text());
    S::PARAMETERS.iter().map(parameter).collect()
}

impl NamedScope {
    /// Reads names from `value`.
    fn read(mut value: impl FnMut(&'static str) -> Option<String>) -> Self {
        let inbox_id = value("inbox_id").map(|text| path::inbox_id(&text));
        let pod_id = value("pod_id").map(|text| text.parse().map_err(|_| path::harmless(&text)));
        Self { pod_id, inbox_id }
    }

    fn of_path(call: &AuthenticatedRequest) -> Self {
        Self::read(|name| call.request().match_info().get(name).map(|_| path::value(call.request(), name)))
    }

    fn is_organization(&self) -> bool {
        self.pod_id.is_none() && self.inbox_id.is_none()
    }
}

impl<P: RequiredPermission, S: ScopeSource> Authorized<P, S> {
    /// Authorizes the caller of a request for the scope of its path.
    pub(crate) fn new(call: AuthenticatedRequest) -> Result<Self, ApiError> {
        S::require_path(&call)?;
        let of_path = NamedScope::of_path(&call);
        let caller = if of_path.is_organization() {
            let mut query = call.query();
            let is_read = |name: &str| S::PARAMETERS.iter().any(|(known, _)| *known == name);
            let named = |name: &'static str| query.text(name).filter(|_| is_read(name));
            authorize_part(&call, NamedScope::read(named))
        } else {
            authorize_path(&call, of_path)
        }?;
        Ok(Self { call, caller, source: PhantomData })
    }

    /// The parameters of the query string, without those that name the scope.
    pub(crate) fn query(&self) -> QueryReader {
        let mut query = self.call.query();
        if NamedScope::of_path(&self.call).is_organization() {
            // A page token belongs to the scope, and a bad name is refused with the other bad parameters.
            for (name, _) in S::PARAMETERS {
                let _ = query.text(name);
            }
        }
        query
    }
}

impl<P, S> Authorized<P, S> {
    /// Separates the call from its caller.
    pub(crate) fn into_parts(self) -> (AuthenticatedRequest, AuthorizedCaller<P>) {
        (self.call, self.caller)
    }

    /// The inbox of the path.
    pub(crate) fn inbox_id(&self) -> InboxId {
        path::inbox_id(&path::value(self.call.request(), "inbox_id"))
    }
}

/// Authorizes a caller for the scope of a path. In a path with a pod and an inbox, the pod is the scope.
fn authorize_path<P: RequiredPermission>(
    call: &AuthenticatedRequest,
    named: NamedScope,
) -> Result<AuthorizedCaller<P>, ApiError> {
    match named {
        NamedScope { pod_id: Some(pod_id), inbox_id: Some(inbox_id) } => {
            call.with_fix(access::require_inbox(&call.caller, &inbox_id))?;
            authorize_part(call, NamedScope { pod_id: Some(pod_id), inbox_id: None })
        }
        named => authorize_part(call, named),
    }
}

fn authorize_part<P: RequiredPermission>(
    call: &AuthenticatedRequest,
    named: NamedScope,
) -> Result<AuthorizedCaller<P>, ApiError> {
    let caller = call.caller.clone();
    let (pod_id, unknown) = match named.pod_id {
        Some(Err(text)) => (None, Some(text)),
        Some(Ok(pod_id)) => (Some(pod_id), None),
        None => (None, None),
    };
    let authorized = call.with_fix(match (pod_id, named.inbox_id) {
        (Some(pod_id), Some(inbox_id)) => AuthorizedCaller::in_pod(caller, pod_id, inbox_id),
        (Some(pod_id), None) => AuthorizedCaller::new(caller, Scope::Pod(pod_id)),
        (None, Some(inbox_id)) => AuthorizedCaller::new(caller, Scope::Inbox(inbox_id)),
        (None, None) => AuthorizedCaller::new(caller, Scope::Organization),
    })?;
    match unknown {
        Some(text) => Err(Error::not_found(Resource::Pod, text).into()),
        None => Ok(authorized),
    }
}

impl<P: RequiredPermission, S: ScopeSource> FromRequest for Authorized<P, S> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let call = AuthenticatedRequest::from_request(request, payload);
        async move { Self::new(call.await?) }.boxed_local()
    }
}

impl<P, S> Deref for Authorized<P, S> {
    type Target = AuthenticatedRequest;

    fn deref(&self) -> &AuthenticatedRequest {
        &self.call
    }
}

impl<P, S> DerefMut for Authorized<P, S> {
    fn deref_mut(&mut self) -> &mut AuthenticatedRequest {
        &mut self.call
    }
}

/// The arguments of a handler, as the OpenAPI document describes them.
pub(crate) trait HandlerArguments {
    /// The permission that they prove.
    const PERMISSION: Option<Permission> = None;
}

impl<P: RequiredPermission, S> HandlerArguments for (Authorized<P, S>,) {
    const PERMISSION: Option<Permission> = Some(P::DOCUMENTED);
}

impl HandlerArguments for (AuthenticatedRequest,) {}
impl HandlerArguments for (UnauthenticatedRequest,) {}
impl HandlerArguments for () {}
