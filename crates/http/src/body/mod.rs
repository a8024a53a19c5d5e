//! Reading request bodies: JSON, bounded, and every bad field named at once.

mod addresses;
mod attachments;
mod fields;
mod inbox_status;
mod json;
mod key_type;
mod labels;
mod maps;
mod memory;
mod read;
mod send_requests;
mod texts;
mod transport;

use actix_web::HttpRequest;
use actix_web::dev::Payload;
pub(crate) use addresses::AddressList;
pub(crate) use attachments::AttachmentList;
use bytes::Bytes;
pub(crate) use fields::{AttachmentIds, InboxIds, MessageIds, Nullable, StringList, Timestamp};
pub(crate) use inbox_status::InboxStatusName;
use inboxd_core::app::App;
use inboxd_core::ports::WorkOwner;
use inboxd_core::{Error, FieldError};
pub(crate) use key_type::BearerType;
pub(crate) use labels::LabelNames;
pub(crate) use maps::{HeaderFields, MetadataChanges, MetadataPairs, PermissionMap};
pub(crate) use memory::{BodyMemory, MemoryShare};
pub(crate) use read::ReadBody;
pub(crate) use send_requests::{ReplyAllRequest, ReplyRequest, SendRequest};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
pub(crate) use texts::{ClientId, DisplayName, EventTypeNames, GivenRole, NoteText, Reason, Username};

use crate::error::ApiError;
use crate::ignored;
use crate::retry_dedup::RequestDigest;

/// The most bad fields that one answer names.
const MAX_PROBLEMS: usize = 100;
/// The most characters of the path of one, which may end in a name that the caller made up.
const MAX_PATH_CHARS: usize = 200;

/// A request body, read field by field. Unknown fields are ignored and named in the answer; `null` is the same as nothing, but for a
/// [`Nullable`].
pub(crate) trait BodyRequest: Sized {
    /// The names of the fields.
    const FIELDS: &'static [&'static str];
    /// Fields of other servers of this wire that change behaviour and are not offered here, each with the JSON of its
    /// harmless value.
    const UNSUPPORTED: &'static [(&'static str, &'static str)];

    /// Takes the fields out of an object.
    fn take(object: &mut Map<String, Value>, problems: &mut BodyProblems) -> Self;
}

/// A field of a request: what is read of it says whether it may be missing.
pub(crate) trait BodyField: Sized {
    /// Reads the value that stands at a path, if there is one.
    fn read(value: Option<Value>, path: &str, problems: &mut BodyProblems) -> Self;
}

/// A value that a field can hold.
pub(crate) trait BodyValue: Sized {
    /// Reads a value; where it cannot be used, says why and answers `None`, or something harmless in its place: the
    /// request is refused, but the rest of it is checked first.
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self>;
}

impl<T: BodyValue> BodyField for Option<T> {
    fn read(value: Option<Value>, path: &str, problems: &mut BodyProblems) -> Self {
        value.filter(|value| !value.is_null()).and_then(|value| T::shape(value, path, problems))
    }
}

/// The bad fields of a request, and the ignored ones.
#[derive(Debug, Default)]
pub(crate) struct BodyProblems {
    found: Vec<FieldError>,
    ignored: Vec<String>,
}

impl BodyProblems {
    /// Notes a bad field.
    pub(crate) fn note(&mut self, path: &str, message: impl Into<String>) {
        self.push(FieldError::new(path.chars().take(MAX_PATH_CHARS).collect::<String>(), message));
    }

    fn push(&mut self, problem: FieldError) {
        if self.found.len() < MAX_PROBLEMS {
            self.found.push(problem);
        }
    }

    /// Notes a field that is ignored.
    fn ignore(&mut self, path: &str) {
        if self.ignored.len() < ignored::MAX_NAMES {
            self.ignored.push(ignored::shown(path));
        }
    }

    /// Refuses fields that are not offered here, unless they hold their harmless value.
    pub(crate) fn refuse_unsupported(&mut self, object: &mut Map<String, Value>, unsupported: &[(&str, &str)]) {
        for (name, harmless) in unsupported {
            let Some(value) = object.remove(*name).filter(|value| !value.is_null()) else { continue };
            let sent = value.to_string();
            if sent != *harmless {
                self.push(FieldError::unsupported(*name, harmless));
            }
        }
    }
}

/// The name of a field on the wire: a word of Rust needs a prefix to be the name of a field in code.
pub(crate) const fn on_the_wire(name: &'static str) -> &'static str {
    match name.as_bytes().split_first_chunk::<2>() {
        Some((b"r#", _)) => name.split_at(2).1,
        _ => name,
    }
}

/// Declares a request: a struct whose fields are read from the body's fields of the same names.
macro_rules! request {
    (
        $(#[$meta:meta])*
        pub(crate) struct $name:ident {
            $($(#[$field_meta:meta])* $field:ident: $type:ty),* $(,)?
        }
        $(unsupported { $($unsupported:ident: $harmless:literal),* $(,)? })?
    ) => {
        $(#[$meta])*
        #[derive(Debug, utoipa::ToSchema)]
        pub(crate) struct $name {
            $($(#[$field_meta])* pub(crate) $field: $type),*
        }

        impl $crate::body::BodyRequest for $name {
            const FIELDS: &'static [&'static str] = &[$($crate::body::on_the_wire(stringify!($field))),*];
            const UNSUPPORTED: &'static [(&'static str, &'static str)] =
                &[$($((stringify!($unsupported), $harmless)),*)?];

            fn take(
                object: &mut serde_json::Map<String, serde_json::Value>,
                problems: &mut $crate::body::BodyProblems,
            ) -> Self {
                problems.refuse_unsupported(object, Self::UNSUPPORTED);
                Self { $($field: {
                    const NAME: &str = $crate::body::on_the_wire(stringify!($field));
                    $crate::body::BodyField::read(object.remove(NAME), NAME, problems)
                }),* }
            }
        }
    };
}
pub(crate) use request;

/// Reads the body of a request; no body at all is an empty object. What it takes of the memory is held in `share`.
pub(crate) async fn read<T: BodyRequest + Send + 'static>(
    app: &App,
    owner: WorkOwner,
    request: &HttpRequest,
    payload: &mut Payload,
    limit: usize,
    share: &mut MemoryShare,
) -> Result<ReadBody<T>, ApiError> {
    let bytes = read_bytes(request, payload, limit, share).await?;
    // Megabytes of base64 take a while: other requests of this worker need not wait.
    let size = bytes.len();
    let mut read = app.compute(owner, size, move || parse(&bytes)).await??;
    ignored::remember(request, read.take_ignored());
    Ok(read)
}

/// The same, with the SHA-256 of the octets.
pub(crate) async fn read_with_digest<T: BodyRequest + Send + 'static>(
    app: &App,
    owner: WorkOwner,
    request: &HttpRequest,
    payload: &mut Payload,
    limit: usize,
    share: &mut MemoryShare,
) -> Result<(ReadBody<T>, RequestDigest), ApiError> {
    let bytes = read_bytes(request, payload, limit, share).await?;
    let size = bytes.len();
    let with_digest =
        move || Ok::<(ReadBody<T>, RequestDigest), Error>((parse(&bytes)?, Sha256::digest(&bytes).into()));
    let (mut read, digest) = app.compute(owner, size, with_digest).await??;
    ignored::remember(request, read.take_ignored());
    Ok((read, digest))
}

/// Reads the body of a request as it came. What it takes of the memory is held in `share`.
pub(crate) async fn read_bytes(
    request: &HttpRequest,
    payload: &mut Payload,
    limit: usize,
    share: &mut MemoryShare,
) -> Result<Bytes, ApiError> {
    transport::read(request, payload, limit, |bytes| share.grow(bytes).map_err(ApiError::too_many_bodies)).await
}

fn parse<T: BodyRequest>(bytes: &[u8]) -> Result<ReadBody<T>, Error> {
    let is_known = |name: &str| T::FIELDS.contains(&name) || T::UNSUPPORTED.iter().any(|(known, _)| *known == name);
    let mut problems = BodyProblems::default();
    let mut object = json::fields(bytes, is_known, &mut problems.ignored)?;
    let request = T::take(&mut object, &mut problems);
    Ok(ReadBody::new(request, problems))
}

#[cfg(test)]
mod tests;
