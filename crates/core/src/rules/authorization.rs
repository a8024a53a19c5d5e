//! Proof that a caller holds a permission within a scope.
//!
//! A use case accepts an [`AuthorizedCaller`] in place of a caller. Nothing but [`AuthorizedCaller::new`] and
//! [`AuthorizedCaller::in_pod`] create one. So no use case runs without the check, and none repeats it.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use super::access;
use crate::Error;
use crate::model::{Caller, InboxId, PodId, Reach, RequiredPermission, Scope};

/// A caller that reaches a scope and holds the permission `P` there.
pub struct AuthorizedCaller<P> {
    /// The caller as their key reaches.
    original: Arc<Caller>,
    /// The caller as the scope narrows them.
    caller: Arc<Caller>,
    scope: Scope,
    /// The pod that was named beside an inbox.
    pod_id: Option<PodId>,
    permission: PhantomData<P>,
}

impl<P: RequiredPermission> AuthorizedCaller<P> {
    /// Checks the scope of a caller first, then their role and the permissions of their key, then the state of the
    /// organization (`service.md`, section 5). Nothing is read, so the pod or inbox of the scope may not exist.
    ///
    /// Below a pod the caller reaches that pod and nothing else.
    ///
    /// # Errors
    /// [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::PodOutOfScope`], [`Error::RoleNotAllowed`],
    /// [`Error::MissingPermission`], [`Error::OrganizationSuspended`].
    pub fn new(caller: impl Into<Arc<Caller>>, scope: Scope) -> Result<Self, Error> {
        Self::checked(caller.into(), scope, None)
    }

    /// Checks a caller as [`AuthorizedCaller::new`] does, for an inbox that was named together with a pod. Outside that
    /// pod the inbox does not exist then. A caller limited to inboxes may name the pod of theirs.
    ///
    /// # Errors
    /// As [`AuthorizedCaller::new`].
    pub fn in_pod(caller: impl Into<Arc<Caller>>, pod_id: PodId, inbox_id: InboxId) -> Result<Self, Error> {
        Self::checked(caller.into(), Scope::Inbox(inbox_id), Some(pod_id))
    }

    /// Checks the same scope and permission for the caller as they are now.
    ///
    /// # Errors
    /// As [`AuthorizedCaller::new`].
    pub fn renewed(&self, caller: Caller) -> Result<Self, Error> {
        Self::checked(Arc::new(caller), self.scope.clone(), self.pod_id)
    }

    fn checked(caller: Arc<Caller>, scope: Scope, pod_id: Option<PodId>) -> Result<Self, Error> {
        let required = P::of(&caller);
        match &scope {
            Scope::Organization if access::covers_organization(required) => access::require_organization(&caller)?,
            Scope::Organization => {}
            Scope::Pod(pod_id) => access::require_whole_pod(&caller, *pod_id)?,
            Scope::Inbox(inbox_id) => access::require_inbox(&caller, inbox_id)?,
        }
        if let Some(pod_id) = pod_id.filter(|_| !access::is_limited_to_inboxes(&caller)) {
            access::require_whole_pod(&caller, pod_id)?;
        }
        access::require(&caller, required)?;
        let original = Arc::clone(&caller);
        let caller = match scope {
            Scope::Pod(pod_id) if caller.reach != Reach::Pod(pod_id) => {
                Arc::new(Caller { reach: Reach::Pod(pod_id), ..Caller::clone(&caller) })
            }
            _ => caller,
        };
        Ok(Self { original, caller, scope, pod_id, permission: PhantomData })
    }
}

impl<P> AuthorizedCaller<P> {
    /// The caller as far as their key reaches, whatever scope they named.
    #[must_use]
    pub fn original(&self) -> &Caller {
        &self.original
    }

    /// The scope that the caller named.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The pod that the caller named beside an inbox.
    #[must_use]
    pub fn pod_id(&self) -> Option<PodId> {
        self.pod_id
    }
}

/// Below a pod the reach of this caller is that pod.
impl<P> Deref for AuthorizedCaller<P> {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.caller
    }
}

impl<P> Clone for AuthorizedCaller<P> {
    fn clone(&self) -> Self {
        let (original, caller) = (Arc::clone(&self.original), Arc::clone(&self.caller));
        Self { original, caller, scope: self.scope.clone(), pod_id: self.pod_id, permission: PhantomData }
    }
}

impl<P: RequiredPermission> fmt::Debug for AuthorizedCaller<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("AuthorizedCaller");
        shown.field("permission", &P::of(&self.caller)).field("scope", &self.scope).finish_non_exhaustive()
    }
}
