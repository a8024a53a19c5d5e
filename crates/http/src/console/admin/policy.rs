//! `/console/policy`: the policy of sending of a scope or an API key.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use askama::Template;
use inboxd_core::app::api_keys;
use inboxd_core::app::policies::{self, PolicyName};
use inboxd_core::model::permissions::{ApiKeyRead, PolicyRead, PolicyUpdate};
use inboxd_core::model::{Permission, Policy, PolicyRules, Scope};
use inboxd_core::{Error, Resource};
use serde_json::{Map, Value};

use crate::body::{BodyProblems, BodyRequest, PolicyRequest, ReadBody};
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::{Choice, scope_choices, scope_of, widest_scope};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::problem::{Problem, render_form};
use crate::error::ApiError;
use crate::path;
use crate::views::PolicyView;

const PATH: &str = "/console/policy";
/// Prefix of an API key among the scopes of the form.
const KEY_PREFIX: &str = "key:";
/// What a rule does.
const ACTIONS: [(&str, &str); 3] =
    [("allow", "leave"), ("hold", "wait for the approval of a person"), ("refuse", "are refused")];
const AUTHORS: [(&str, &str); 2] = [("agents", "Agents: API keys and connected clients"), ("everyone", "Everyone")];
/// Rules by their path in the policy, with what they are about.
const RULES: [(&str, &str); 9] = [
    ("recipients.known", "Messages to recipients that the inbox wrote to, trusted contacts and members"),
    ("recipients.first_contact", "Messages to other recipients"),
    ("recipients.suspicious", "Replies in a suspicious conversation"),
    ("content.secrets", "Messages with keys, tokens or card numbers"),
    ("content.received_codes", "Messages with codes that the inbox received"),
    ("content.attachments", "Messages with attachments"),
    ("content.links", "Messages with links"),
    ("amount.beyond", "Messages beyond an hourly maximum"),
    ("hours.outside", "Messages outside the hours"),
];
const LISTS: [(&str, &str); 3] = [
    ("recipients.allow", "Always allowed"),
    ("recipients.hold", "Always held"),
    ("recipients.refuse", "Always refused"),
];
const AMOUNTS: [(&str, &str); 2] =
    [("amount.per_hour", "Messages in an hour"), ("amount.per_recipient_hour", "Messages in an hour to one recipient")];
const HOURS: [(&str, &str, &str); 3] =
    [("hours.zone", "Time zone", "text"), ("hours.from", "From", "time"), ("hours.until", "Until", "time")];
const DAYS: [(&str, &str); 7] = [
    ("mon", "Monday"),
    ("tue", "Tuesday"),
    ("wed", "Wednesday"),
    ("thu", "Thursday"),
    ("fri", "Friday"),
    ("sat", "Saturday"),
    ("sun", "Sunday"),
];
/// Path of the days, which are the marked boxes of the form.
const DAYS_FIELD: &str = "hours.days";

#[derive(Template)]
#[template(path = "console/policy.html")]
struct PolicyPage<'a> {
    frame: Frame,
    problem: Option<&'a Problem>,
    scopes: Vec<Choice>,
    scope: &'a str,
    /// Whether the scope has a policy of its own.
    is_stored: bool,
    may_change: bool,
    authors: Vec<Choice>,
    rules: Vec<Rule>,
    lists: Vec<Text>,
    amounts: Vec<Text>,
    hours: Vec<Text>,
    days: Vec<Choice>,
}

struct Rule {
    id: String,
    name: &'static str,
    label: &'static str,
    choices: Vec<Choice>,
}

struct Text {
    id: String,
    name: &'static str,
    label: &'static str,
    kind: &'static str,
    value: String,
}

/// Shows the policy of a scope.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    page(call, None).await
}

/// Stores the policy of a scope.
pub(super) async fn save(call: &ConsoleCall) -> PageResult {
    match store(call).await {
        Ok(_) => Ok(to_scope(call, "saved")),
        Err(error) => page(call, Some(&Problem::of(error)?)).await,
    }
}

/// Deletes the policy of a scope.
pub(super) async fn delete(call: &ConsoleCall) -> PageResult {
    let (scope, name) = named(call)?;
    policies::delete(call.app(), &call.authorize::<PolicyUpdate>(scope)?, name).await?;
    Ok(to_scope(call, "deleted"))
}

async fn store(call: &ConsoleCall) -> Result<Policy, ApiError> {
    let (scope, name) = named(call)?;
    let caller = call.authorize::<PolicyUpdate>(scope)?;
    let mut problems = BodyProblems::default();
    let request = PolicyRequest::take(&mut typed(call), &mut problems);
    let read = ReadBody::new(request, problems).map(PolicyRequest::into_rules);
    let (rules, _) = read.checked(|(_, problems)| problems.clone())?;
    Ok(policies::put(call.app(), &caller, name, rules).await?)
}

/// Returns the policy that a form or the query string names: that of a scope, or of an API key as `key:…`.
fn named(call: &ConsoleCall) -> Result<(Scope, PolicyName), ApiError> {
    let chosen = chosen(call);
    let Some(key) = chosen.strip_prefix(KEY_PREFIX) else { return Ok((scope_of(Some(&chosen))?, PolicyName::Scope)) };
    let api_key_id = key.parse().map_err(|_| Error::not_found(Resource::ApiKey, path::harmless(key)))?;
    Ok((Scope::Organization, PolicyName::ApiKey(api_key_id)))
}

/// Returns the scopes of the form, and the API key that is chosen.
async fn scopes(call: &ConsoleCall, chosen: &str, name: PolicyName) -> Result<Vec<Choice>, ApiError> {
    let mut scopes = scope_choices(call, Some(chosen)).await?;
    if let PolicyName::ApiKey(api_key_id) = name {
        let caller = call.authorize::<ApiKeyRead>(Scope::Organization)?;
        let key = api_keys::get(call.app(), &caller, api_key_id).await?;
        scopes.push(Choice::new(chosen, &format!("API key {}", key.name), |_| true));
    }
    Ok(scopes)
}

/// Returns the scope or key that a form or the query string names.
fn chosen(call: &ConsoleCall) -> String {
    let named = call.form.one("scope").or_else(|| call.query.one("scope"));
    named.map_or_else(|| widest_scope(&call.caller.reach), str::to_owned)
}

fn to_scope(call: &ConsoleCall, notice: &str) -> HttpResponse {
    call.redirect(&links::with_query(PATH, &[("scope", &chosen(call)), ("notice", notice)]))
}

/// Returns the form as the body of the API. Empty fields are absent, and so are hours without a time zone.
fn typed(call: &ConsoleCall) -> Map<String, Value> {
    let mut parts: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    let texts = RULES.iter().chain(&AMOUNTS).chain(&LISTS).map(|(name, _)| *name);
    for name in texts.chain(HOURS.iter().map(|(name, ..)| *name)) {
        let text = call.form.one(name).map(str::trim).filter(|text| !text.is_empty());
        if let Some((text, (part, field))) = text.zip(name.split_once('.')) {
            parts.entry(part).or_default().insert(field.to_owned(), value_of(name, text));
        }
    }
    if let Some(hours) = parts.get_mut("hours") {
        hours.insert("days".to_owned(), call.form.all(DAYS_FIELD).map(Value::from).collect());
    }
    parts.retain(|part, fields| *part != "hours" || fields.contains_key("zone"));
    let mut policy: Map<String, Value> =
        parts.into_iter().map(|(part, fields)| (part.to_owned(), Value::Object(fields))).collect();
    policy.extend(call.form.one("applies_to").map(|authors| ("applies_to".to_owned(), Value::from(authors))));
    policy
}

/// Returns the value of a field: lists have an entry a line, and a number that is none stays a text, which the API refuses.
fn value_of(name: &str, text: &str) -> Value {
    if LISTS.iter().any(|(list, _)| *list == name) {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(Value::from).collect()
    } else if AMOUNTS.iter().any(|(amount, _)| *amount == name) {
        text.parse::<u32>().map_or_else(|_| Value::from(text), Value::from)
    } else {
        Value::from(text)
    }
}

async fn page(call: &ConsoleCall, problem: Option<&Problem>) -> PageResult {
    let (scope, (reach, name)) = (chosen(call), named(call)?);
    let caller = call.authorize::<PolicyRead>(reach)?;
    let (policy, is_stored) = match policies::get(call.app(), &caller, name).await {
        Ok(policy) => (PolicyView::from(policy), true),
        Err(Error::NotFound { resource: Resource::Policy, .. }) => (PolicyView::from(without_rules(call)), false),
        Err(error) => return Err(error.into()),
    };
    let stored = serde_json::to_value(policy).map_err(|error| ApiError::internal(error.to_string()))?;
    // A refused form shows what was typed.
    let shown = if problem.is_some() { Value::Object(typed(call)) } else { stored };
    let text = |name: &str| text_at(&shown, name);
    let days: Vec<String> = text(DAYS_FIELD).lines().map(str::to_owned).collect();
    let field = |(name, label): &(&'static str, &'static str), kind| Text {
        id: id_of(name),
        name,
        label,
        kind,
        value: text(name),
    };
    let template = PolicyPage {
        frame: call.frame(Section::Settings, "Sending policy"),
        problem,
        scopes: scopes(call, &scope, name).await?,
        scope: &scope,
        is_stored,
        may_change: call.may(Permission::PolicyUpdate),
        authors: Choice::fixed(&AUTHORS, |value| value == text("applies_to")),
        rules: RULES
            .iter()
            .map(|(name, label)| {
                let action = Some(text(name)).filter(|action| !action.is_empty());
                let action = action.unwrap_or_else(|| default_action(name).to_owned());
                Rule { id: id_of(name), name, label, choices: Choice::fixed(&ACTIONS, |value| value == action) }
            })
            .collect(),
        lists: LISTS.iter().map(|list| field(list, "text")).collect(),
        amounts: AMOUNTS.iter().map(|amount| field(amount, "number")).collect(),
        hours: HOURS.iter().map(|(name, label, kind)| field(&(name, label), kind)).collect(),
        days: Choice::fixed(&DAYS, |value| days.iter().any(|day| day == value)),
    };
    render_form(call, problem, &template)
}

/// Returns the id of a field in the page.
fn id_of(name: &str) -> String {
    name.replace('.', "-")
}

/// Returns what a rule does that the policy does not state.
fn default_action(name: &str) -> &'static str {
    match name {
        "hours.outside" => "hold",
        "amount.beyond" => "refuse",
        _ => "allow",
    }
}

/// Returns the policy that a scope without one has: it allows everything.
fn without_rules(call: &ConsoleCall) -> Policy {
    Policy {
        organization_id: call.caller.organization.organization_id,
        level: inboxd_core::model::PolicyLevel::Organization,
        rules: PolicyRules::default(),
        updated_by: None,
        updated_at: call.app().clock.now(),
    }
}

/// Returns the value at a path of a policy as text: lists have an entry a line.
fn text_at(policy: &Value, name: &str) -> String {
    match policy.pointer(&format!("/{}", name.replace('.', "/"))) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(entries)) => entries.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_of_the_form_are_those_of_the_api() {
        assert_eq!(value_of("recipients.hold", " a.example \r\n\r\nb@c.example"), json!(["a.example", "b@c.example"]));
        assert_eq!(value_of("amount.per_hour", "30"), json!(30));
        assert_eq!(value_of("amount.per_hour", "many"), json!("many"));
        assert_eq!(value_of("content.links", "hold"), json!("hold"));
    }

    #[test]
    fn values_of_a_policy_are_shown_as_text() {
        let policy =
            json!({"amount": {"per_hour": 5}, "recipients": {"hold": ["a.example", "b.example"]}, "hours": null});
        assert_eq!(text_at(&policy, "amount.per_hour"), "5");
        assert_eq!(text_at(&policy, "recipients.hold"), "a.example\nb.example");
        assert_eq!(text_at(&policy, "hours.zone"), "");
    }
}
