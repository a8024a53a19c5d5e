//! Verdicts of trust in requests and the document.

use std::borrow::Cow;
use std::collections::BTreeSet;

use inboxd_core::rules::trust::Verdict;
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::fields::one_or_many;
use super::{BodyProblems, BodyValue};

/// Verdicts, each at most once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Verdicts(pub(crate) BTreeSet<Verdict>);

impl BodyValue for Verdicts {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let verdict = |word: String, path: &str, problems: &mut BodyProblems| {
            let verdict = Verdict::named(&word);
            if verdict.is_none() {
                problems.note(path, "must be trusted, known, first_contact or suspicious");
            }
            verdict
        };
        Some(Self(one_or_many(value, path, problems, verdict, |_| None).into_iter().collect()))
    }
}

impl PartialSchema for Verdicts {
    fn schema() -> RefOr<Schema> {
        let word = || {
            let words = Verdict::ALL.iter().map(|verdict| verdict.as_str());
            ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words))
        };
        let words = ArrayBuilder::new().items(word());
        OneOfBuilder::new()
            .item(word())
            .item(words)
            .description(Some("Verdicts of trust: one string, or an array of strings."))
            .into()
    }
}

impl ToSchema for Verdicts {
    fn name() -> Cow<'static, str> {
        "Verdicts".into()
    }
}
