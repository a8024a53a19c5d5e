//! Query parameters, each declared once for its reading and for the OpenAPI document.

use inboxd_core::model::{Direction, HELD, HidingLabels, PageRequest};
use time::OffsetDateTime;
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{RefOr, Required};

use super::formats::{ParamFormat, boolean, choice, date_time, flag, number, string, text, words};
use super::{PAGE_TOKEN, QueryReader};
use crate::views::BodyFormat;

/// Declares query parameters: a struct whose fields are read from the parameters of the same names, in the format after
/// the type. The doc comment of a field is the description of its parameter.
macro_rules! query_params {
    (
        $(#[$meta:meta])*
        pub(crate) struct $name:ident {
            $($(#[doc = $doc:literal])+ $field:ident: $type:ty = $format:expr),* $(,)?
        }
    ) => {
        $(#[$meta])*
        pub(crate) struct $name { $($(#[doc = $doc])+ pub(crate) $field: $type),* }

        impl $name {
            /// Reads the parameters in their order. Problems are noted in the reader.
            pub(crate) fn read(query: &mut $crate::query::QueryReader) -> Self {
                Self { $($field: $crate::query::formats::ParamFormat::<$type>::read(
                    &$format,
                    query,
                    $crate::body::on_the_wire(stringify!($field)),
                )),* }
            }
        }

        impl utoipa::IntoParams for $name {
            fn into_params(
                _: impl Fn() -> Option<utoipa::openapi::path::ParameterIn>,
            ) -> Vec<utoipa::openapi::path::Parameter> {
                vec![$($crate::query::formats::describe::<$type>(
                    $crate::body::on_the_wire(stringify!($field)),
                    &[$($doc),+],
                    &$format,
                )),*]
            }
        }
    };
}
pub(crate) use query_params;

query_params! {
    /// Page of a list.
    pub(crate) struct PageParams {
        /// Maximum number of items in the page.
        limit: u32 = PageLimitParam,
        /// `next_page_token` of the previous page. Filters and order must be the same.
        page_token: Option<String> = PageTokenParam,
    }
}

/// Size of a page of a list that is always empty, and has no next page.
pub(crate) struct LimitParams;

impl IntoParams for LimitParams {
    fn into_params(place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let mut parameters = PageParams::into_params(place);
        parameters.retain(|parameter| parameter.name != PAGE_TOKEN);
        parameters
    }
}

/// Number of items of a page. A page token is not bound to it.
struct PageLimitParam;

impl ParamFormat<u32> for PageLimitParam {
    fn read(&self, query: &mut QueryReader, name: &str) -> u32 {
        query.limit(name)
    }

    fn schema(&self) -> RefOr<Schema> {
        let limit = number(1..=u64::from(PageRequest::MAX_LIMIT)).with_default(u64::from(PageRequest::DEFAULT_LIMIT));
        ParamFormat::<Option<u32>>::schema(&limit)
    }
}

/// Token of a page of any length.
struct PageTokenParam;

impl ParamFormat<Option<String>> for PageTokenParam {
    fn read(&self, query: &mut QueryReader, name: &str) -> Option<String> {
        query.single(name)
    }

    fn schema(&self) -> RefOr<Schema> {
        string().into()
    }
}

query_params! {
    /// Order of a list.
    pub(crate) struct OrderParams {
        /// Whether the oldest item is first.
        ascending: Direction = flag(),
    }
}

query_params! {
    /// Time span.
    pub(crate) struct SpanParams {
        /// Only items strictly before this time.
        before: Option<OffsetDateTime> = date_time(),
        /// Only items strictly after this time.
        after: Option<OffsetDateTime> = date_time(),
    }
}

query_params! {
    /// Label filter.
    pub(crate) struct LabelParams {
        /// Only items with all of these labels.
        labels: Vec<String> = words(),
    }
}

query_params! {
    /// Envelope recipient.
    pub(crate) struct RecipientParams {
        /// Only messages that were received for this address. Letter case is ignored.
        delivered_to: Option<String> = text(),
        /// Only messages that were received for an address with this tag after the `+`. Letter case is ignored.
        tag: Option<String> = text(),
    }
}

query_params! {
    /// Form of the texts of a message.
    pub(crate) struct BodyFormatParams {
        /// `markdown` returns `text` and `extracted_text` of messages with HTML as Markdown: with headings, lists,
        /// links, tables and preformatted text. The default is `text`.
        format: Option<BodyFormat> = choice([("text", BodyFormat::Text), ("markdown", BodyFormat::Markdown)]),
    }
}

/// Hiding labels to include, one `include_*` parameter for each.
pub(crate) struct IncludeParams;

impl IncludeParams {
    /// Reads the labels to include.
    pub(crate) fn read(query: &mut QueryReader) -> HidingLabels {
        let mut included = HidingLabels::NONE;
        for (place, label) in HidingLabels::LABELS.iter().enumerate() {
            if query.flag(&Self::name(label)) {
                included = included.with(place);
            }
        }
        included
    }

    /// Returns the parameters with the description of each.
    pub(crate) fn described(default: Option<bool>, description: impl Fn(&str) -> String) -> Vec<Parameter> {
        let parameter = |label: &&str| {
            ParameterBuilder::new()
                .name(Self::name(label))
                .parameter_in(ParameterIn::Query)
                .required(Required::False)
                .description(Some(description(label)))
                .schema(Some(boolean(default)))
                .build()
        };
        HidingLabels::LABELS.iter().map(parameter).collect()
    }

    fn name(label: &str) -> String {
        format!("include_{label}")
    }
}

impl IntoParams for IncludeParams {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        Self::described(Some(false), |label| {
            let further = if label == HELD { " A filter by this label includes them too." } else { "" };
            format!("Whether messages with the label `{label}` are included.{further}")
        })
    }
}
