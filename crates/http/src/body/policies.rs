//! Body of a policy of sending. A misspelt rule would bind nothing, so unknown fields of its parts are refused.

use inboxd_core::FieldError;
use inboxd_core::model::{EntryName, PolicyAuthors, PolicyRules, RecipientRules};
use inboxd_core::rules::lists::parse_entry;
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::{BodyProblems, BodyValue, request};
use crate::views::{AmountRulesView, ContentRulesView, RecipientRulesView, SendingHoursView};

/// A part of a policy.
#[derive(Debug)]
pub(crate) struct PolicyPart<T>(T);

impl<T: DeserializeOwned> BodyValue for PolicyPart<T> {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        serde_json::from_value(value).map_err(|error| problems.note(path, error.to_string())).ok().map(Self)
    }
}

/// Authors that a policy binds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PolicyAuthorsName(PolicyAuthors);

impl BodyValue for PolicyAuthorsName {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let authors = PolicyAuthors::named(&String::shape(value, path, problems)?);
        if authors.is_none() {
            problems.note(path, "must be agents or everyone");
        }
        authors.map(Self)
    }
}

impl PartialSchema for PolicyAuthorsName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(PolicyAuthors::ALL.iter().map(|authors| authors.as_str())))
            .description(Some(
                "Authors that a policy binds: `agents` are API keys of the organization and connected clients.",
            ))
            .into()
    }
}

impl ToSchema for PolicyAuthorsName {}

request! {
    /// Policy of sending. Each rule is `allow`, `hold` or `refuse`.
    pub(crate) struct PolicyRequest {
        /// Authors that it binds; by default `agents`.
        applies_to: Option<PolicyAuthorsName>,
        /// Rules about recipients.
        #[schema(value_type = Option<RecipientRulesView>)]
        recipients: Option<PolicyPart<RecipientRulesView>>,
        /// Rules about the number of messages within an hour.
        #[schema(value_type = Option<AmountRulesView>)]
        amount: Option<PolicyPart<AmountRulesView>>,
        /// Rules about content.
        #[schema(value_type = Option<ContentRulesView>)]
        content: Option<PolicyPart<ContentRulesView>>,
        /// Hours in which messages may leave.
        #[schema(value_type = Option<SendingHoursView>)]
        hours: Option<PolicyPart<SendingHoursView>>,
    }
}

impl PolicyRequest {
    /// Returns the rules, and the problems of their values.
    pub(crate) fn into_rules(self) -> (PolicyRules, Vec<FieldError>) {
        let mut problems = Vec::new();
        let recipients = self.recipients.map(|PolicyPart(rules)| rules).unwrap_or_default();
        let hours = self.hours.and_then(|PolicyPart(hours)| hours.into_hours(&mut problems));
        let rules = PolicyRules {
            applies_to: self.applies_to.map(|PolicyAuthorsName(authors)| authors).unwrap_or_default(),
            recipients: RecipientRules {
                known: recipients.known,
                first_contact: recipients.first_contact,
                suspicious: recipients.suspicious,
                allow: entries("recipients.allow", &recipients.allow, &mut problems),
                hold: entries("recipients.hold", &recipients.hold, &mut problems),
                refuse: entries("recipients.refuse", &recipients.refuse, &mut problems),
            },
            amount: self.amount.map(|PolicyPart(rules)| rules.into()).unwrap_or_default(),
            content: self.content.map(|PolicyPart(rules)| rules.into()).unwrap_or_default(),
            hours,
        };
        problems.extend(inboxd_core::rules::sending_policy::validate_rules(&rules));
        (rules, problems)
    }
}

fn entries(path: &str, texts: &[String], problems: &mut Vec<FieldError>) -> Vec<EntryName> {
    let mut read = Vec::with_capacity(texts.len());
    for (place, text) in texts.iter().enumerate() {
        match parse_entry(text) {
            Ok(entry) => read.push(entry),
            Err(message) => problems.push(FieldError::new(format!("{path}[{place}]"), message)),
        }
    }
    read
}
