//! Formats of query parameters: each reads a value and states its schema in the OpenAPI document.

use std::ops::RangeInclusive;
use std::str::FromStr;

use inboxd_core::model::Direction;
use inboxd_core::model::ids::IdError;
use inboxd_core::rules::trust::Verdict;
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::openapi::{KnownFormat, RefOr, Required};

use super::QueryReader;

/// Pattern of a search text: not blank, and without NUL.
const NOT_BLANK: &str = r"^[^\u0000]*[^\s\u0000][^\u0000]*$";

/// Format of a query parameter that is read as a `T`.
pub(crate) trait ParamFormat<T> {
    /// Reads the value. A problem is noted in the reader.
    fn read(&self, query: &mut QueryReader, name: &str) -> T;

    /// Returns the schema of the value.
    fn schema(&self) -> RefOr<Schema>;

    /// Returns whether every request must have the parameter.
    fn is_required(&self) -> bool {
        false
    }
}

/// Returns a parameter as the OpenAPI document lists it. `lines` are those of its doc comment.
pub(crate) fn describe<T>(name: &str, lines: &[&str], format: &impl ParamFormat<T>) -> Parameter {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    let required = if format.is_required() { Required::True } else { Required::False };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .required(required)
        .description(Some(lines.join("\n")))
        .schema(Some(format.schema()))
        .build()
}

/// A string.
pub(crate) struct TextParam {
    max_length: Option<usize>,
}

/// Returns the format of a string.
pub(crate) fn text() -> TextParam {
    TextParam { max_length: None }
}

impl TextParam {
    /// Documents a limit in characters that the use case checks.
    pub(crate) fn with_max_length(mut self, max_length: usize) -> Self {
        self.max_length = Some(max_length);
        self
    }
}

impl ParamFormat<Option<String>> for TextParam {
    fn read(&self, query: &mut QueryReader, name: &str) -> Option<String> {
        query.text(name)
    }

    fn schema(&self) -> RefOr<Schema> {
        string().max_length(self.max_length).into()
    }
}

/// A string that every request has. It is `None` after a problem.
pub(crate) struct RequiredTextParam {
    pattern: &'static str,
    max_length: Option<usize>,
}

/// Returns the format of a required string that is not blank.
pub(crate) fn required_text() -> RequiredTextParam {
    RequiredTextParam { pattern: NOT_BLANK, max_length: None }
}

impl RequiredTextParam {
    /// Documents a pattern and a limit in characters that the use case checks.
    pub(crate) fn with_pattern(mut self, pattern: &'static str, max_length: usize) -> Self {
        self.pattern = pattern;
        self.max_length = Some(max_length);
        self
    }
}

impl ParamFormat<Option<String>> for RequiredTextParam {
    fn read(&self, query: &mut QueryReader, name: &str) -> Option<String> {
        query.required_text(name)
    }

    fn schema(&self) -> RefOr<Schema> {
        string().min_length(Some(1)).max_length(self.max_length).pattern(Some(self.pattern)).into()
    }

    fn is_required(&self) -> bool {
        true
    }
}

/// An id that the service generated.
pub(crate) struct IdParam {
    prefix: &'static str,
}

/// Returns the format of an id with a prefix.
pub(crate) fn id(prefix: &'static str) -> IdParam {
    IdParam { prefix }
}

impl<T: FromStr<Err = IdError>> ParamFormat<Option<T>> for IdParam {
    fn read(&self, query: &mut QueryReader, name: &str) -> Option<T> {
        query.id(name)
    }

    fn schema(&self) -> RefOr<Schema> {
        string().pattern(Some(format!("^{}[0-9a-fA-F]{{32}}$", self.prefix))).into()
    }
}

/// Strings that may contain commas.
pub(crate) struct TextsParam;

/// Returns the format of strings that may contain commas.
pub(crate) fn texts() -> TextsParam {
    TextsParam
}

impl ParamFormat<Vec<String>> for TextsParam {
    fn read(&self, query: &mut QueryReader, name: &str) -> Vec<String> {
        query.texts(name)
    }

    fn schema(&self) -> RefOr<Schema> {
        list_of(string())
    }
}

/// Words that commas separate.
pub(crate) struct WordsParam {
    vocabulary: Option<fn() -> Vec<&'static str>>,
}

/// Returns the format of labels, which commas separate.
pub(crate) fn words() -> WordsParam {
    WordsParam { vocabulary: None }
}

/// Returns the format of words of a vocabulary that the use case checks.
pub(crate) fn words_of(vocabulary: fn() -> Vec<&'static str>) -> WordsParam {
    WordsParam { vocabulary: Some(vocabulary) }
}

impl ParamFormat<Vec<String>> for WordsParam {
    fn read(&self, query: &mut QueryReader, name: &str) -> Vec<String> {
        query.words(name)
    }

    fn schema(&self) -> RefOr<Schema> {
        list_of(self.vocabulary.map_or_else(string, |vocabulary| word_of(vocabulary())))
    }
}

/// Verdicts of trust.
pub(crate) struct VerdictsParam {
    is_enumerated: bool,
}

/// Returns the format of verdicts that the description names.
pub(crate) fn verdicts() -> VerdictsParam {
    VerdictsParam { is_enumerated: false }
}

/// Returns the format of verdicts that the schema names.
pub(crate) fn enumerated_verdicts() -> VerdictsParam {
    VerdictsParam { is_enumerated: true }
}

impl ParamFormat<Vec<Verdict>> for VerdictsParam {
    fn read(&self, query: &mut QueryReader, name: &str) -> Vec<Verdict> {
        query.verdicts(name)
    }

    fn schema(&self) -> RefOr<Schema> {
        let names = Verdict::ALL.iter().map(|verdict| verdict.as_str());
        list_of(if self.is_enumerated { word_of(names) } else { string() })
    }
}

/// A word of a closed vocabulary, with the value of each.
pub(crate) struct ChoiceParam<T>(Vec<(&'static str, T)>);

/// Returns the format of a word that stands for a value.
pub(crate) fn choice<T>(choices: impl IntoIterator<Item = (&'static str, T)>) -> ChoiceParam<T> {
    ChoiceParam(choices.into_iter().collect())
}

impl<T: Copy> ParamFormat<Option<T>> for ChoiceParam<T> {
    fn read(&self, query: &mut QueryReader, name: &str) -> Option<T> {
        let vocabulary: Vec<&'static str> = self.0.iter().map(|(word, _)| *word).collect();
        let chosen = query.word(name, &vocabulary)?;
        self.0.iter().find(|(word, _)| *word == chosen).map(|(_, value)| *value)
    }

    fn schema(&self) -> RefOr<Schema> {
        word_of(self.0.iter().map(|(word, _)| *word)).into()
    }
}

/// A whole number within a range.
pub(crate) struct NumberParam {
    range: RangeInclusive<u64>,
    default: Option<u64>,
    multiple_of: Option<u64>,
}

/// Returns the format of a whole number within a range.
pub(crate) fn number(range: RangeInclusive<u64>) -> NumberParam {
    NumberParam { range, default: None, multiple_of: None }
}

impl NumberParam {
    /// Documents the number that an absent parameter stands for.
    pub(crate) fn with_default(mut self, default: u64) -> Self {
        self.default = Some(default);
        self
    }

    /// Documents a divisor that the use case checks.
    pub(crate) fn with_multiple_of(mut self, divisor: u64) -> Self {
        self.multiple_of = Some(divisor);
        self
    }
}

impl<T: TryFrom<u64>> ParamFormat<Option<T>> for NumberParam {
    fn read(&self, query: &mut QueryReader, name: &str) -> Option<T> {
        query.number(name, self.range.clone()).and_then(|number| T::try_from(number).ok())
    }

    fn schema(&self) -> RefOr<Schema> {
        let format = if size_of::<T>() > size_of::<u32>() { KnownFormat::Int64 } else { KnownFormat::Int32 };
        ObjectBuilder::new()
            .schema_type(Type::Integer)
            .format(Some(SchemaFormat::KnownFormat(format)))
            .default(self.default.map(Value::from))
            .multiple_of(self.multiple_of)
            .maximum(Some(*self.range.end()))
            .minimum(Some(*self.range.start()))
            .into()
    }
}

/// A point in time (RFC 3339).
pub(crate) struct DateTimeParam;

/// Returns the format of a point in time.
pub(crate) fn date_time() -> DateTimeParam {
    DateTimeParam
}

impl ParamFormat<Option<OffsetDateTime>> for DateTimeParam {
    fn read(&self, query: &mut QueryReader, name: &str) -> Option<OffsetDateTime> {
        query.time(name)
    }

    fn schema(&self) -> RefOr<Schema> {
        string().format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime))).into()
    }
}

/// A boolean, false by default.
pub(crate) struct FlagParam;

/// Returns the format of a boolean.
pub(crate) fn flag() -> FlagParam {
    FlagParam
}

impl ParamFormat<bool> for FlagParam {
    fn read(&self, query: &mut QueryReader, name: &str) -> bool {
        query.flag(name)
    }

    fn schema(&self) -> RefOr<Schema> {
        boolean(Some(false)).into()
    }
}

impl ParamFormat<Direction> for FlagParam {
    fn read(&self, query: &mut QueryReader, name: &str) -> Direction {
        if query.flag(name) { Direction::Ascending } else { Direction::Descending }
    }

    fn schema(&self) -> RefOr<Schema> {
        boolean(Some(false)).into()
    }
}

/// Returns the schema of a boolean with the default that it documents.
pub(crate) fn boolean(default: Option<bool>) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Boolean).default(default.map(Value::from))
}

/// Returns the schema of a string.
pub(crate) fn string() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

fn word_of(vocabulary: impl IntoIterator<Item = &'static str>) -> ObjectBuilder {
    string().enum_values(Some(vocabulary))
}

fn list_of(item: ObjectBuilder) -> RefOr<Schema> {
    ArrayBuilder::new().items(item).into()
}
