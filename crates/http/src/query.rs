//! Query string parser: accepts lists in all forms that clients send, and names all invalid parameters at once.

pub(crate) mod formats;
mod params;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::str::FromStr;

use inboxd_core::FieldError;
use inboxd_core::model::ids::IdError;
use inboxd_core::model::{Cursor, Direction, PageRequest};
use inboxd_core::rules::signing::SigningKey;
use inboxd_core::rules::trust::Verdict;
use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};
use url::form_urlencoded;

use crate::auth::AuthenticatedRequest;
use crate::error::ApiError;
use crate::page_token::TokenBinding;
use crate::router;
use crate::views::BodyFormat;

pub(crate) use params::{
    BodyFormatParams, IncludeParams, LabelParams, LimitParams, OrderParams, PageParams, RecipientParams, SpanParams,
    query_params,
};

/// Maximum number of values of one list.
pub(crate) const MAX_LIST_VALUES: usize = 100;
/// Maximum number of characters of one string.
pub(crate) const MAX_TEXT_CHARS: usize = 1000;

/// Parameter with a page token. `MAX_TEXT_CHARS` does not apply to it.
pub(crate) const PAGE_TOKEN: &str = "page_token";

/// Reader of the parameters of a request. Parameters that are never read are ignored.
pub(crate) struct QueryReader {
    pairs: Vec<(String, String)>,
    problems: Vec<FieldError>,
    /// Values read so far, in reading order. A page token is bound to them.
    filters: Vec<String>,
}

/// Requested page of a list, and the binding of the token of the next page.
pub(crate) struct Paging {
    pub(crate) request: PageRequest,
    scope: TokenBinding,
    key: SigningKey,
}

impl Paging {
    /// Returns the page of the list that a binding names.
    pub(crate) fn new(request: PageRequest, scope: TokenBinding, key: SigningKey) -> Self {
        Self { request, scope, key }
    }

    /// Returns the token of the page after a cursor; `None` on the last page.
    pub(crate) fn next(&self, place: Option<&Cursor>) -> Option<String> {
        place.map(|place| self.scope.token(&self.key, place))
    }
}

impl QueryReader {
    pub(crate) fn of(query_string: &str) -> Self {
        Self::of_pairs(form_urlencoded::parse(query_string.as_bytes()).into_owned().collect())
    }

    /// Reads parameters that were decoded already.
    pub(crate) fn of_pairs(pairs: Vec<(String, String)>) -> Self {
        Self { pairs, problems: Vec::new(), filters: Vec::new() }
    }

    /// Reads a string.
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        let text = self.single(name)?;
        self.filters.push(format!("{name}={text}"));
        Some(text)
    }

    /// Reads a required string; a blank one is a problem.
    pub(crate) fn required_text(&mut self, name: &str) -> Option<String> {
        let text = self.text(name).filter(|text| !text.trim().is_empty());
        if text.is_none() && !self.problems.iter().any(|problem| problem.path == name) {
            self.refuse(name, "is required and must not be empty");
        }
        text
    }

    /// Reads strings that must all match: repeated, or one JSON array. They may contain commas.
    pub(crate) fn texts(&mut self, name: &str) -> Vec<String> {
        self.list(name, |value| vec![value])
    }

    /// Reads words of a closed vocabulary, or labels: repeated, one JSON array, or separated by commas.
    pub(crate) fn words(&mut self, name: &str) -> Vec<String> {
        self.list(name, |value| value.split(',').map(|word| word.trim().to_owned()).collect())
    }

    /// Reads one word of a closed vocabulary.
    pub(crate) fn word(&mut self, name: &str, vocabulary: &[&'static str]) -> Option<&'static str> {
        let text = self.text(name)?;
        let word = vocabulary.iter().copied().find(|word| *word == text);
        if word.is_none() {
            self.refuse(name, format!("must be one of {}", vocabulary.join(", ")));
        }
        word
    }

    /// Reads the form of the texts of messages.
    pub(crate) fn body_format(&mut self) -> BodyFormat {
        BodyFormatParams::read(self).format.unwrap_or(BodyFormat::Text)
    }

    /// Reads verdicts of which one must match: repeated, one JSON array, or separated by commas.
    pub(crate) fn verdicts(&mut self, name: &str) -> Vec<Verdict> {
        let verdicts: Option<BTreeSet<Verdict>> = self.words(name).iter().map(|word| Verdict::named(word)).collect();
        if verdicts.is_none() {
            self.refuse(name, "must be trusted, known, first_contact or suspicious");
        }
        verdicts.into_iter().flatten().collect()
    }

    /// Reads an id that the service generated.
    pub(crate) fn id<T: FromStr<Err = IdError>>(&mut self, name: &str) -> Option<T> {
        let text = self.single(name)?;
        match text.parse() {
            Ok(id) => {
                self.filters.push(format!("{name}={text}"));
                Some(id)
            }
            Err(error) => {
                self.refuse(name, format!("is {error}"));
                None
            }
        }
    }

    /// Reads a boolean; false by default.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let flag = match self.single(name).as_deref().map(str::to_ascii_lowercase).as_deref() {
            None | Some("false" | "0") => false,
            Some("true" | "1") => true,
            Some(_) => {
                self.refuse(name, "must be true or false");
                false
            }
        };
        self.filters.push(format!("{name}={flag}"));
        flag
    }

    /// Reads a whole number within a range.
    pub(crate) fn number(&mut self, name: &str, range: RangeInclusive<u64>) -> Option<u64> {
        let text = self.single(name)?;
        let number = text.parse().ok().filter(|number| range.contains(number));
        match number {
            Some(number) => self.filters.push(format!("{name}={number}")),
            None => self.refuse(name, format!("must be a whole number from {} to {}", range.start(), range.end())),
        }
        number
    }

    /// Reads a point in time and converts it to UTC.
    pub(crate) fn time(&mut self, name: &str) -> Option<OffsetDateTime> {
        let text = self.single(name)?;
        let time = instant(&text);
        match time {
            Some(time) => self.filters.push(format!("{name}={}", time.unix_timestamp_nanos())),
            None => self.refuse(name, "must be a date and time as in 2026-11-20T10:00:00Z (RFC 3339)"),
        }
        time
    }

    /// Reads the order of a list: `ascending`.
    pub(crate) fn direction(&mut self) -> Direction {
        OrderParams::read(self).ascending
    }

    /// Reads the page and finishes; all other parameters must have been read. Fails with all invalid parameters.
    pub(crate) fn page(mut self, call: &AuthenticatedRequest, direction: Direction) -> Result<Paging, ApiError> {
        let PageParams { limit, page_token } = PageParams::read(&mut self);
        let key = call.app().settings.signing_key.clone();
        let mut list = vec![call.caller.organization.organization_id.to_string(), format!("{direction:?}")];
        list.push(router::path_of(call.request()).unwrap_or_default().to_owned());
        list.extend(call.request().match_info().iter().map(|(name, value)| format!("{name}:{}", value.to_lowercase())));
        list.append(&mut self.filters);
        let scope = TokenBinding::of(&key, &list);
        let after = page_token.and_then(|token| {
            let place = scope.place(&key, &token);
            if place.is_none() {
                self.refuse(PAGE_TOKEN, "is not a page token of this list with the same filters and order");
            }
            place
        });
        self.finish()?;
        Ok(Paging { request: PageRequest { limit, after, direction }, scope, key })
    }

    /// Finishes after all parameters were read. Fails with all invalid parameters.
    pub(crate) fn finish(self) -> Result<(), ApiError> {
        if self.problems.is_empty() { Ok(()) } else { Err(inboxd_core::Error::Invalid(self.problems).into()) }
    }

    /// Reads the number of items of a page.
    fn limit(&mut self, name: &str) -> u32 {
        let Some(text) = self.single(name) else { return PageRequest::DEFAULT_LIMIT };
        match text.parse::<u32>() {
            Ok(limit) if (1..=PageRequest::MAX_LIMIT).contains(&limit) => limit,
            _ => {
                self.refuse(name, format!("must be a whole number from 1 to {}", PageRequest::MAX_LIMIT));
                PageRequest::DEFAULT_LIMIT
            }
        }
    }

    /// Returns the value of a parameter that may occur once.
    fn single(&mut self, name: &str) -> Option<String> {
        let mut values = self.values(name).into_iter();
        let value = values.next();
        if values.next().is_some() {
            self.refuse(name, "is repeated");
        }
        value.filter(|value| self.is_fit(name, value))
    }

    fn list(&mut self, name: &str, split: impl Fn(String) -> Vec<String>) -> Vec<String> {
        let values = self.values(name).into_iter().flat_map(|value| {
            if value.starts_with('[')
                && let Ok(values) = serde_json::from_str::<Vec<String>>(&value)
            {
                return values;
            }
            split(value)
        });
        let values: Vec<String> = values.filter(|value| !value.is_empty()).collect();
        if values.len() > MAX_LIST_VALUES {
            self.refuse(name, format!("has more than {MAX_LIST_VALUES} values"));
            return Vec::new();
        }
        let fit = values.iter().all(|value| self.is_fit(name, value));
        // A list is a set without letter case: all spellings of it share one page token.
        let distinct: BTreeSet<String> = values.iter().map(|value| value.to_lowercase()).collect();
        self.filters.extend(distinct.into_iter().map(|value| format!("{name}={value}")));
        if fit { values } else { Vec::new() }
    }

    fn values(&self, name: &str) -> Vec<String> {
        self.pairs.iter().filter(|(known, _)| known == name).map(|(_, value)| value.clone()).collect()
    }

    fn is_fit(&mut self, name: &str, text: &str) -> bool {
        if text.contains('\0') {
            self.refuse(name, "contains a NUL");
            return false;
        }
        if name != PAGE_TOKEN && text.chars().count() > MAX_TEXT_CHARS {
            self.refuse(name, format!("is longer than {MAX_TEXT_CHARS} characters"));
            return false;
        }
        true
    }

    pub(crate) fn refuse(&mut self, name: &str, message: impl Into<String>) {
        if !self.problems.iter().any(|problem| problem.path == name) {
            self.problems.push(FieldError::new(name, message));
        }
    }
}

/// Parses a point in time with any offset. An unencoded `+` of the offset arrives as a space.
pub(crate) fn instant(text: &str) -> Option<OffsetDateTime> {
    let text = text.trim();
    let time = OffsetDateTime::parse(text, &Rfc3339)
        .or_else(|_| OffsetDateTime::parse(&text.replace(' ', "+"), &Rfc3339))
        .ok()?;
    time.checked_to_offset(UtcOffset::UTC)
}

#[cfg(test)]
mod tests;
