//! Scopes: named sets of permissions, the consent that narrows them, and their description for people.

use std::collections::BTreeSet;

use super::{permission_words, refuse};
use crate::Error;
use crate::model::oauth::{Access, OAuthErrorCode};
use crate::model::{Permission, Permissions};

/// Scopes of a request without a scope, and of the challenge for an unauthenticated request.
pub const DEFAULT: &str = "mail:read mail:draft mail:send mail:manage";
/// Maximum length of a scope parameter in bytes.
const MAX_BYTES: usize = 4096;
/// Scopes of `OpenID` Connect, which clients send out of habit.
const WITHOUT_EFFECT: [&str; 4] = ["openid", "profile", "email", "offline_access"];

/// A named set of permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScopeName {
    /// Reading mail.
    MailRead,
    /// Writing drafts.
    MailDraft,
    /// Sending.
    MailSend,
    /// Labels and deletion of mail.
    MailManage,
    /// Creation, change and deletion of inboxes.
    InboxesManage,
    /// All other permissions that a connection can have.
    Admin,
}

impl ScopeName {
    /// All scopes.
    pub const ALL: [Self; 6] =
        [Self::MailRead, Self::MailDraft, Self::MailSend, Self::MailManage, Self::InboxesManage, Self::Admin];

    /// Returns the name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MailRead => "mail:read",
            Self::MailDraft => "mail:draft",
            Self::MailSend => "mail:send",
            Self::MailManage => "mail:manage",
            Self::InboxesManage => "inboxes:manage",
            Self::Admin => "admin",
        }
    }

    /// Returns the scope that contains a permission; `None` for a permission that no connection has, because its effect
    /// would outlive the connection: access for others, mail that leaves to a webhook, mail in quarantine, legal holds, and what
    /// binds the connection itself.
    #[must_use]
    pub fn of(permission: Permission) -> Option<Self> {
        use Permission as P;
        match permission {
            P::InboxRead | P::MessageRead | P::DraftRead | P::EventRead | P::LabelSpamRead | P::LabelTrashRead => {
                Some(Self::MailRead)
            }
            P::DraftCreate | P::DraftUpdate | P::DraftDelete => Some(Self::MailDraft),
            P::MessageSend | P::DraftSend => Some(Self::MailSend),
            P::MessageUpdate | P::MessageDelete => Some(Self::MailManage),
            P::InboxCreate | P::InboxUpdate | P::InboxDelete => Some(Self::InboxesManage),
            P::ApiKeyCreate
            | P::ApiKeyUpdate
            | P::ApiKeyDelete
            | P::LegalHoldUpdate
            | P::MemberCreate
            | P::MemberUpdate
            | P::MemberDelete
            | P::WebhookCreate
            | P::WebhookUpdate
            | P::WebhookDelete
            | P::LabelHeldRead
            | P::AgentArmorRelease
            | P::DraftApprove
            | P::PolicyUpdate => None,
            _ => Some(Self::Admin),
        }
    }

    /// Returns the permissions of the scope.
    pub fn permissions(self) -> impl Iterator<Item = Permission> {
        Permission::ALL.iter().copied().filter(move |permission| Self::of(*permission) == Some(self))
    }

    /// Returns the description for the consent page.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::MailRead => "Read mail, drafts and events",
            Self::MailDraft => "Write, change and delete drafts",
            Self::MailSend => "Send mail in your name",
            Self::MailManage => "Label, assign, annotate and delete mail",
            Self::InboxesManage => "Create, change and delete inboxes",
            Self::Admin => {
                "Change domains, lists, pods, files and billing; see API keys, members, webhooks and metrics"
            }
        }
    }

    /// Returns whether the scope is useless without reading, and therefore brings [`Self::MailRead`].
    fn brings_reading(self) -> bool {
        matches!(self, Self::MailDraft | Self::MailSend | Self::MailManage)
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }
}

/// Returns whether a scope parameter names any scope besides those without effect. One that does not is as good as none.
#[must_use]
pub fn names_any(scope: &str) -> bool {
    scope.split_ascii_whitespace().any(|name| !WITHOUT_EFFECT.contains(&name))
}

/// Returns the permissions of a scope parameter. Unknown scopes are ignored.
///
/// # Errors
/// [`Error::OAuth`] with `invalid_scope` if scopes are named and none of them is known.
pub fn parse(scope: Option<&str>) -> Result<Permissions, Error> {
    let scope = scope.unwrap_or_default();
    if scope.len() > MAX_BYTES {
        return Err(refuse(OAuthErrorCode::InvalidScope, "the scope is longer than 4096 characters"));
    }
    let named: Vec<&str> = scope.split_ascii_whitespace().filter(|name| !WITHOUT_EFFECT.contains(name)).collect();
    if named.is_empty() {
        return Ok(map(granted_by(DEFAULT.split(' '))));
    }
    let granted = granted_by(named.into_iter());
    if granted.is_empty() {
        let known: Vec<_> = ScopeName::ALL.iter().map(|scope| scope.as_str()).collect();
        let description = format!("no requested scope is known; use {}", known.join(", "));
        return Err(refuse(OAuthErrorCode::InvalidScope, description));
    }
    Ok(map(granted))
}

fn granted_by<'a>(names: impl Iterator<Item = &'a str>) -> BTreeSet<Permission> {
    let of_scope = |scope: ScopeName| {
        let reading = scope.brings_reading().then_some(ScopeName::MailRead);
        reading.into_iter().flat_map(ScopeName::permissions).chain(scope.permissions())
    };
    let mut granted = BTreeSet::new();
    for name in names {
        match ScopeName::named(name) {
            Some(scope) => granted.extend(of_scope(scope)),
            None => granted.extend(Permission::named(name).filter(|permission| is_grantable(*permission))),
        }
    }
    granted
}

/// Returns whether a connection can have a permission.
#[must_use]
pub fn is_grantable(permission: Permission) -> bool {
    ScopeName::of(permission).is_some()
}

fn map(granted: BTreeSet<Permission>) -> Permissions {
    Permissions(granted.into_iter().map(|permission| (permission.as_str().to_owned(), true)).collect())
}

/// Returns the permissions that both maps grant.
#[must_use]
pub fn intersection(one: &Permissions, other: &Permissions) -> Permissions {
    retained(one, |permission| other.grants(permission))
}

/// Returns the granted permissions of a map that satisfy a condition.
#[must_use]
pub fn retained(map: &Permissions, is_retained: impl Fn(Permission) -> bool) -> Permissions {
    let granted =
        Permission::ALL.iter().copied().filter(|permission| map.grants(*permission) && is_retained(*permission));
    self::map(granted.collect())
}

/// Returns whether a map grants everything that another one grants.
#[must_use]
pub fn contains(wider: &Permissions, narrower: &Permissions) -> bool {
    Permission::ALL.iter().all(|permission| !narrower.grants(*permission) || wider.grants(*permission))
}

/// Returns the permissions as a scope parameter: the complete scopes, then single permissions. [`parse`] reads it as the
/// same permissions, as far as a connection can have them.
#[must_use]
pub fn text(permissions: &Permissions) -> String {
    let (complete, single) = split(permissions);
    let complete = complete.into_iter().map(ScopeName::as_str);
    complete.chain(single.into_iter().map(Permission::as_str)).collect::<Vec<_>>().join(" ")
}

/// Returns the description of permissions for people, a line for each complete scope and each other
/// permission, also those that no scope contains.
#[must_use]
pub fn descriptions(permissions: &Permissions) -> Vec<&'static str> {
    let (complete, single) = split(permissions);
    let complete = complete.into_iter().map(ScopeName::description);
    let is_of_no_scope = |permission: &Permission| permissions.grants(*permission) && !is_grantable(*permission);
    let others = Permission::ALL.iter().copied().filter(is_of_no_scope);
    complete.chain(single.into_iter().chain(others).map(permission_words::describe)).collect()
}

/// Returns the scopes that a map grants completely, and the other permissions that it grants.
///
/// A scope is complete with the reading that it brings: named without it, it would grant more when it is parsed again.
fn split(permissions: &Permissions) -> (Vec<ScopeName>, Vec<Permission>) {
    let grants_all = |scope: ScopeName| scope.permissions().all(|permission| permissions.grants(permission));
    let reads_all = grants_all(ScopeName::MailRead);
    let is_complete = |scope: &ScopeName| grants_all(*scope) && (reads_all || !scope.brings_reading());
    let complete: Vec<ScopeName> = ScopeName::ALL.into_iter().filter(is_complete).collect();
    let is_single = |permission: &Permission| {
        permissions.grants(*permission) && ScopeName::of(*permission).is_some_and(|scope| !complete.contains(&scope))
    };
    let single = Permission::ALL.iter().copied().filter(is_single).collect();
    (complete, single)
}

/// Returns the requested permissions within the extent that a person chose.
#[must_use]
pub fn narrowed(asked: &Permissions, access: Access) -> Permissions {
    let kept: &[ScopeName] = match access {
        Access::Asked => return retained(asked, |_| true),
        Access::ReadOnly => &[ScopeName::MailRead],
        Access::ReadAndDraft => &[ScopeName::MailRead, ScopeName::MailDraft],
        Access::ReadDraftSend => &[ScopeName::MailRead, ScopeName::MailDraft, ScopeName::MailSend],
    };
    retained(asked, |permission| ScopeName::of(permission).is_some_and(|scope| kept.contains(&scope)))
}
