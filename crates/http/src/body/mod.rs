//! Request body parser: bounded JSON; one response names all bad fields.

mod addresses;
mod attachments;
mod calendar;
mod contact_decision;
mod digest;
mod fields;
mod inbox_status;
mod json;
mod key_type;
mod labels;
mod maps;
mod memory;
mod policies;
mod quarantine;
mod read;
mod rsvp;
mod send_requests;
mod texts;
mod transport;
mod verdicts;

use actix_web::HttpRequest;
use actix_web::dev::Payload;
pub(crate) use addresses::AddressList;
pub(crate) use attachments::AttachmentList;
use bytes::Bytes;
pub(crate) use calendar::{
    AnyJson, DurationModeName, EventAttendee, EventAttendees, EventRecurrence, EventStatusName, RecurrenceField,
    ResponseName,
};
pub(crate) use contact_decision::ContactDecisionName;
pub(crate) use digest::ContentDigest;
pub(crate) use fields::{AttachmentIds, InboxIds, MessageIds, Nullable, StringList, Timestamp};
pub(crate) use inbox_status::InboxStatusName;
use inboxd_core::app::App;
use inboxd_core::ports::WorkOwner;
use inboxd_core::{Error, FieldError};
pub(crate) use key_type::BearerType;
pub(crate) use labels::LabelNames;
pub(crate) use maps::{HeaderFields, MetadataChanges, MetadataPairs, PermissionMap};
pub(crate) use memory::{BodyMemory, MemoryShare};
pub(crate) use policies::PolicyRequest;
pub(crate) use quarantine::{FeedbackName, QuarantineModeName};
pub(crate) use read::ReadBody;
pub(crate) use rsvp::RsvpName;
pub(crate) use send_requests::{ReplyAllRequest, ReplyRequest, SendRequest};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
pub(crate) use texts::{
    ClientId, DisplayName, EventTypeNames, GivenRole, NoteText, QuarantineText, Reason, SomeEventTypeNames, Username,
};
pub(crate) use transport::BodyType;
pub(crate) use verdicts::Verdicts;

use crate::error::ApiError;
use crate::ignored;
use crate::retry_dedup::RequestDigest;

/// Number of bad fields that one response names at most.
const MAX_PROBLEMS: usize = 100;
/// Length of the path of a bad field; the path may end in a name that the client chose.
const MAX_PATH_CHARS: usize = 200;

/// Request body, read field by field.
///
/// Unknown fields are ignored and named in the response. `null` equals an absent field, except for a [`Nullable`].
pub(crate) trait BodyRequest: Sized {
    /// Names of the fields.
    const FIELDS: &'static [&'static str];
    /// Fields that other implementations of this API support and that change behaviour, each with the JSON of its
    /// harmless value. Any other value is refused.
    const UNSUPPORTED: &'static [(&'static str, &'static str)];

    /// Removes the fields from an object and reads them.
    fn take(object: &mut Map<String, Value>, problems: &mut BodyProblems) -> Self;
}

/// Field of a request; its type decides whether the field may be absent.
pub(crate) trait BodyField: Sized {
    /// Reads the value at a path, if present.
    fn read(value: Option<Value>, path: &str, problems: &mut BodyProblems) -> Self;
}

/// Value of a request field.
pub(crate) trait BodyValue: Sized {
    /// Reads a value. Records the problem of an unusable value and returns `None` or a harmless substitute.
    ///
    /// The request is refused after the check of its other fields.
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self>;
}

impl<T: BodyValue> BodyField for Option<T> {
    fn read(value: Option<Value>, path: &str, problems: &mut BodyProblems) -> Self {
        value.filter(|value| !value.is_null()).and_then(|value| T::shape(value, path, problems))
    }
}

/// Bad fields and ignored fields of a request.
#[derive(Debug, Default)]
pub(crate) struct BodyProblems {
    found: Vec<FieldError>,
    ignored: Vec<String>,
}

impl BodyProblems {
    /// Records a bad field.
    pub(crate) fn note(&mut self, path: &str, message: impl Into<String>) {
        self.push(FieldError::new(path.chars().take(MAX_PATH_CHARS).collect::<String>(), message));
    }

    fn push(&mut self, problem: FieldError) {
        if self.found.len() < MAX_PROBLEMS {
            self.found.push(problem);
        }
    }

    /// Records an ignored field.
    fn ignore(&mut self, path: &str) {
        if self.ignored.len() < ignored::MAX_NAMES {
            self.ignored.push(ignored::shown(path));
        }
    }

    /// Refuses unsupported fields, unless they hold their harmless value.
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

/// Returns the JSON name of a field. A field named like a Rust keyword has a prefix in code.
pub(crate) const fn on_the_wire(name: &'static str) -> &'static str {
    match name.as_bytes().split_first_chunk::<2>() {
        Some((b"r#", _)) => name.split_at(2).1,
        _ => name,
    }
}

/// Declares a request: a struct whose fields are read from the body fields of the same names.
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

/// Reads the body of a request; an absent body equals an empty object. `share` accounts for the memory of the body.
pub(crate) async fn read<T: BodyRequest + Send + 'static>(
    app: &App,
    owner: WorkOwner,
    request: &HttpRequest,
    payload: &mut Payload,
    limit: usize,
    share: &mut MemoryShare,
) -> Result<ReadBody<T>, ApiError> {
    let bytes = read_bytes(request, payload, BodyType::Json, limit, share).await?;
    // Decoding megabytes of base64 would block the other requests of this worker.
    let size = bytes.len();
    let mut read = app.compute(owner, size, move || parse(&bytes)).await??;
    ignored::remember(request, read.take_ignored());
    Ok(read)
}

/// Reads the body of a request and returns it with the SHA-256 of its bytes.
pub(crate) async fn read_with_digest<T: BodyRequest + Send + 'static>(
    app: &App,
    owner: WorkOwner,
    request: &HttpRequest,
    payload: &mut Payload,
    limit: usize,
    share: &mut MemoryShare,
) -> Result<(ReadBody<T>, RequestDigest), ApiError> {
    let bytes = read_bytes(request, payload, BodyType::Json, limit, share).await?;
    let size = bytes.len();
    let with_digest =
        move || Ok::<(ReadBody<T>, RequestDigest), Error>((parse(&bytes)?, Sha256::digest(&bytes).into()));
    let (mut read, digest) = app.compute(owner, size, with_digest).await??;
    ignored::remember(request, read.take_ignored());
    Ok((read, digest))
}

/// Reads the raw body of a request of a media type. `share` accounts for the memory of the body.
pub(crate) async fn read_bytes(
    request: &HttpRequest,
    payload: &mut Payload,
    body_type: BodyType,
    limit: usize,
    share: &mut MemoryShare,
) -> Result<Bytes, ApiError> {
    let room = |bytes| share.grow(bytes).map_err(ApiError::too_many_bodies);
    transport::read(request, payload, limit, body_type, room).await
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
