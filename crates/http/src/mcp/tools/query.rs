//! Arguments of lists, read like a query string of the API.

use std::borrow::Cow;
use std::marker::PhantomData;

use serde_json::Value;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::body::{BodyField, BodyProblems, BodyRequest};
use crate::error::ApiError;
use crate::mcp::arguments::{JsonObject, camel_case};
use crate::mcp::call::{PageLimit, ToolContext};
use crate::query::{PAGE_TOKEN, Paging, QueryReader};

/// Description of the arguments of a list.
pub(crate) trait QueryShape: ToSchema {
    /// Names of the arguments, as the API spells them.
    const FIELDS: &'static [&'static str];
    /// Names of those that must be there.
    const REQUIRED: &'static [&'static str];
}

/// Declares the arguments of a list: those that must be there, and a field for each.
macro_rules! query_arguments {
    (
        $(#[$meta:meta])*
        $name:ident [$($required:ident),*] { $($(#[$field_meta:meta])* $field:ident: $type:ty),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(utoipa::ToSchema)]
        #[expect(dead_code, reason = "this struct only describes arguments")]
        pub(crate) struct $name { $($(#[$field_meta])* $field: $type),* }

        impl $crate::mcp::tools::query::QueryShape for $name {
            const FIELDS: &'static [&'static str] = &[$($crate::body::on_the_wire(stringify!($field))),*];
            const REQUIRED: &'static [&'static str] = &[$($crate::body::on_the_wire(stringify!($required))),*];
        }
    };
}
pub(crate) use query_arguments;

/// Arguments of a list that `S` describes.
pub(crate) struct QueryArguments<S> {
    given: JsonObject,
    pub(crate) limit: Option<PageLimit>,
    shape: PhantomData<fn() -> S>,
}

impl<S: QueryShape> BodyRequest for QueryArguments<S> {
    const FIELDS: &'static [&'static str] = S::FIELDS;
    const UNSUPPORTED: &'static [(&'static str, &'static str)] = &[];

    fn take(object: &mut JsonObject, problems: &mut BodyProblems) -> Self {
        let mut given = JsonObject::new();
        let mut limit = None;
        for name in S::FIELDS {
            let value = object.remove(*name).filter(|value| !value.is_null());
            let Some(value) = value else {
                if S::REQUIRED.contains(name) {
                    problems.note(name, "is required");
                }
                continue;
            };
            if *name == "limit" {
                limit = BodyField::read(Some(value.clone()), name, problems);
            } else if !is_query_value(&value) {
                problems.note(name, "must be a text, a number, true or false, or an array of texts");
            }
            given.insert((*name).to_owned(), value);
        }
        Self { given, limit, shape: PhantomData }
    }
}

/// Returns whether a query string can hold the value.
fn is_query_value(value: &Value) -> bool {
    match value {
        Value::String(_) | Value::Number(_) | Value::Bool(_) => true,
        Value::Array(values) => values.iter().all(Value::is_string),
        Value::Null | Value::Object(_) => false,
    }
}

impl<S> QueryArguments<S> {
    /// Returns a reader of the arguments.
    pub(crate) fn reader(&self) -> QueryReader {
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            // An array is one value, so that its texts may hold commas.
            other => other.to_string(),
        };
        QueryReader::of_pairs(self.given.iter().map(|(name, value)| (name.clone(), text(value))).collect())
    }

    /// Reads the filter of a list, and the page that is requested.
    ///
    /// # Errors
    /// 422 with all bad arguments, or for a page token of another list.
    pub(crate) fn read_list<F>(
        &self,
        context: &ToolContext,
        filter: fn(&mut QueryReader) -> F,
    ) -> Result<(F, Paging), ApiError> {
        let mut query = self.reader();
        let filter = filter(&mut query);
        let direction = query.direction();
        query.finish()?;
        Ok((filter, context.paging(self.limit, self.page_token(), direction)?))
    }

    /// Returns a text argument; empty where it is absent.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.given.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the token of the requested page.
    pub(crate) fn page_token(&self) -> Option<&str> {
        self.given.get(PAGE_TOKEN).and_then(Value::as_str)
    }

    /// Returns the arguments that lead to the next page.
    pub(crate) fn next(&self, page_token: &str) -> JsonObject {
        let same = self.given.iter().filter(|(name, _)| *name != PAGE_TOKEN);
        let mut next: JsonObject = same.map(|(name, value)| (camel_case(name), value.clone())).collect();
        next.insert(camel_case(PAGE_TOKEN), Value::from(page_token));
        next
    }
}

impl<S: ToSchema> PartialSchema for QueryArguments<S> {
    fn schema() -> RefOr<Schema> {
        S::schema()
    }
}

impl<S: ToSchema> ToSchema for QueryArguments<S> {
    fn name() -> Cow<'static, str> {
        S::name()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        S::schemas(schemas);
    }
}
