//! `/console/api-keys`

use askama::Template;
use inboxd_core::app::api_keys::{self, MadeKey, NewKey};
use inboxd_core::model::permissions::{ApiKeyCreate, ApiKeyDelete, ApiKeyRead};
use inboxd_core::model::{ApiKey, Permission, Permissions, Reach, Scope};
use inboxd_core::rules::oauth::scopes;
use inboxd_core::{Error, FieldError};
use time::Duration;

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::{Choice, scope_choices, scope_of};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::problem::{Problem, render_form};
use crate::console::secret::SecretPage;
use crate::console::text::shown;
use crate::console::time::Moment;
use crate::error::ApiError;

const PATH: &str = "/console/api-keys";
/// Permissions to choose: value, label, and the scopes that they include; `None` for everything.
pub(super) const ACCESSES: [(&str, &str, Option<&str>); 5] = [
    ("all", "Everything within the scope", None),
    ("mail", "Read, write, send and label mail", Some("mail:read mail:draft mail:send mail:manage")),
    ("send", "Read, write drafts and send", Some("mail:read mail:draft mail:send")),
    ("draft", "Read and write drafts; a person sends them", Some("mail:read mail:draft")),
    ("read", "Read only", Some("mail:read")),
];
/// Validities to choose, in days with their labels.
const LIFETIMES: [(&str, &str); 5] =
    [("", "No end"), ("7", "7 days"), ("30", "30 days"), ("90", "90 days"), ("365", "A year")];

#[derive(Template)]
#[template(path = "console/api_keys.html")]
struct ApiKeysPage<'a> {
    frame: Frame,
    problem: Option<&'a Problem>,
    keys: Vec<KeyRow>,
    older: Option<String>,
    form: Option<KeyForm>,
    may_revoke: bool,
}

/// A key as pages show it.
pub(super) struct KeyRow {
    pub(super) id: String,
    /// Whether it belongs to a person; policies of keys do not bind people.
    pub(super) is_personal: bool,
    pub(super) name: String,
    pub(super) prefix: String,
    pub(super) scope: String,
    pub(super) abilities: Vec<String>,
    pub(super) is_expired: bool,
    pub(super) created: Moment,
    pub(super) expires: Option<Moment>,
    pub(super) used: Option<Moment>,
}

/// The form, with what was typed.
struct KeyForm {
    name: String,
    scopes: Vec<Choice>,
    accesses: Vec<Choice>,
    lifetimes: Vec<Choice>,
}

/// Shows the keys and the form for a new one.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    page(call, None).await
}

/// Creates a key and shows it once.
pub(super) async fn create(call: &ConsoleCall) -> PageResult {
    let made = match make(call).await {
        Ok(made) => made,
        Err(error) => return page(call, Some(&Problem::of(error)?)).await,
    };
    let secret = made.plaintext.as_ref().map_or("", |plaintext| plaintext.reveal());
    let page = SecretPage {
        frame: call.frame(Section::ApiKeys, "API key created"),
        label: "API key",
        hint: "Send it as the header Authorization: Bearer, or set it as INBOXD_API_KEY.",
        name: &shown(&made.api_key.name, 100),
        secret,
        back: PATH,
    };
    call.render(&page)
}

/// Revokes a key.
pub(super) async fn revoke(call: &ConsoleCall) -> PageResult {
    let caller = call.authorize::<ApiKeyDelete>(Scope::Organization)?;
    api_keys::revoke(call.app(), &caller, call.api_key_id()?).await?;
    Ok(call.redirect("/console/api-keys?notice=revoked"))
}

async fn make(call: &ConsoleCall) -> Result<MadeKey, ApiError> {
    let caller = call.authorize::<ApiKeyCreate>(scope_of(call.form.one("scope"))?)?;
    let now = call.app().clock.now();
    let days = call.form.one("expires_in").map(str::parse::<u16>).transpose();
    let days = days.map_err(|_| Error::invalid("expires_in", "must be a number of days"))?;
    let new = NewKey {
        name: Some(call.form.one("name").unwrap_or_default().trim().to_owned()),
        permissions: permissions_of(call.form.one("access"))?,
        expires_at: days.map(|days| now + Duration::days(i64::from(days))),
        client_id: None,
    };
    Ok(api_keys::create(call.app(), &caller, new).await?)
}

/// Returns the permissions of a choice; `None` for everything.
///
/// # Errors
/// 422 for a value that is none of the choices.
pub(super) fn permissions_of(access: Option<&str>) -> Result<Option<Permissions>, Error> {
    let wanted = access.unwrap_or("all");
    let Some((.., scope)) = ACCESSES.iter().find(|(value, ..)| *value == wanted) else {
        return Err(FieldError::new("access", "names none of the choices").into());
    };
    scope.map(|scope| scopes::parse(Some(scope))).transpose()
}

async fn page(call: &ConsoleCall, problem: Option<&Problem>) -> PageResult {
    let caller = call.authorize::<ApiKeyRead>(Scope::Organization)?;
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(call, direction)?;
    let found = api_keys::list(call.app(), &caller, paging.request.clone()).await?;
    let older = paging.next(found.next.as_ref()).map(|token| links::with_query(PATH, &[("page_token", &token)]));
    let now = call.app().clock.now();
    let template = ApiKeysPage {
        frame: call.frame(Section::ApiKeys, "API keys"),
        problem,
        keys: found.items.into_iter().map(|key| row(key, now)).collect(),
        older,
        form: if call.may(Permission::ApiKeyCreate) { Some(form(call).await?) } else { None },
        may_revoke: call.may(Permission::ApiKeyDelete),
    };
    render_form(call, problem, &template)
}

async fn form(call: &ConsoleCall) -> Result<KeyForm, ApiError> {
    let typed = |name: &str| call.form.one(name);
    let accesses = ACCESSES.map(|(value, label, _)| (value, label));
    Ok(KeyForm {
        name: typed("name").unwrap_or_default().to_owned(),
        scopes: scope_choices(call, typed("scope")).await?,
        accesses: Choice::fixed(&accesses, |value| value == typed("access").unwrap_or("all")),
        lifetimes: Choice::fixed(&LIFETIMES, |value| value == typed("expires_in").unwrap_or_default()),
    })
}

/// Returns a key as pages show it.
pub(super) fn row(key: ApiKey, now: time::OffsetDateTime) -> KeyRow {
    KeyRow {
        id: key.api_key_id.to_string(),
        is_personal: key.member_id.is_some(),
        name: shown(&key.name, 100),
        scope: match &key.reach {
            _ if key.member_id.is_some() => "As the person who signed in".to_owned(),
            Reach::Organization | Reach::Inboxes(_) => "Organization".to_owned(),
            Reach::Pod(pod_id) => format!("Pod {pod_id}"),
            Reach::Inbox { inbox_id, .. } => inbox_id.to_string(),
        },
        abilities: match &key.permissions {
            None => vec!["Everything within its scope".to_owned()],
            // A key acts for the organization and in nobody's name.
            Some(map) => scopes::descriptions(map).iter().map(|ability| ability.replace(" in your name", "")).collect(),
        },
        is_expired: key.is_expired(now),
        created: Moment(key.created_at),
        expires: key.expires_at.map(Moment),
        used: key.used_at.map(Moment),
        prefix: key.prefix,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

    use super::*;

    #[test]
    fn access_of_form_becomes_permissions() {
        assert_eq!(permissions_of(None).unwrap(), None);
        assert_eq!(permissions_of(Some("all")).unwrap(), None);
        let read = permissions_of(Some("read")).unwrap().unwrap();
        assert!(read.grants(Permission::MessageRead) && !read.grants(Permission::MessageSend));
        let send = permissions_of(Some("send")).unwrap().unwrap();
        assert!(send.grants(Permission::MessageSend) && !send.grants(Permission::ApiKeyCreate));
        assert!(permissions_of(Some("owner")).is_err());
    }
}
