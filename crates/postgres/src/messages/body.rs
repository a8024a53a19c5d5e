//! Stored bodies of messages: the raw mail and the texts that were read out of it, in one frame.
//!
//! These texts repeat one another, so one compression (zstd, RFC 8878) over all of them removes the repetition. A frame
//! begins with its form, 0 for plain content and 1 for compressed one, and the length of the raw mail in four bytes,
//! big-endian and -1 for null. The content is the fields, each with a length like that, and then the raw mail. The text is
//! the first field, so that it can be read without the others. SQL can write the plain form.
//!
//! A raw mail above 64 KB is mostly attachments, which no body repeats and few readers want. It has
//! a frame of its own without fields, or is an object of a blob store as it is.

mod encode;

use std::cell::RefCell;
use std::io::{self, Read};
use std::ops::Range;

use inboxd_core::model::MessageBody;
use inboxd_core::ports::StoreError;
use tokio::task::spawn_blocking;
use zstd::bulk::Decompressor;
use zstd::stream::read::Decoder;
use zstd::zstd_safe::{DCtx, get_frame_content_size};

pub(crate) use self::encode::{NewBody, encode_bodies, raw_frame, redacted_body};
pub use self::encode::{StoredBody, stored_body};
use crate::json::parse_json;

/// Maximum bytes that are compressed or decompressed at once on a thread of the async runtime: about a millisecond of
/// work.
const MAX_INLINE_BYTES: usize = 256 * 1024;

/// Maximum bytes of the content of a frame: the limit of PostgreSQL for a value.
const MAX_CONTENT_BYTES: usize = 1 << 30;

/// Bytes of a length.
const LENGTH_BYTES: usize = 4;

/// Position of the length of the raw mail, behind the form.
const RAW_LENGTH: usize = 1;

/// Bytes before the content: the form and the length of the raw mail.
const HEADER_BYTES: usize = RAW_LENGTH + LENGTH_BYTES;

/// First byte of a frame with plain content.
const PLAIN: u8 = 0;

/// First byte of a frame with compressed content.
const COMPRESSED: u8 = 1;

thread_local! {
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
    /// Context of the decompression of a beginning.
    static STREAM: RefCell<Option<DCtx<'static>>> = const { RefCell::new(None) };
}

/// Field of a frame, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyField {
    /// Whole text.
    Text,
    /// Whole HTML.
    Html,
    /// Text without quoted history.
    ExtractedText,
    /// HTML without quoted history.
    ExtractedHtml,
    /// Header fields as JSON.
    Headers,
}

/// Number of fields.
const FIELDS: usize = 5;

/// Runs work that decompresses so many bytes, on a thread for blocking work if it takes long.
pub(crate) async fn run_codec<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    if bytes <= MAX_INLINE_BYTES {
        return work();
    }
    spawn_blocking(work).await.map_err(|error| StoreError::Failed(error.to_string()))?
}

/// Content of a frame, decompressed.
pub(crate) struct BodyFields {
    content: Vec<u8>,
    places: [Option<Range<usize>>; FIELDS],
    /// Beginning of the raw mail; `None` for null.
    raw: Option<usize>,
}

impl BodyFields {
    /// Reads a frame.
    ///
    /// # Errors
    /// [`StoreError::Failed`] for a damaged frame.
    pub(crate) fn of(mut frame: Vec<u8>) -> Result<Self, StoreError> {
        let raw_bytes = length_at(&frame, RAW_LENGTH)?;
        let content = match frame.first().copied() {
            Some(PLAIN) => {
                frame.drain(..HEADER_BYTES);
                frame
            }
            Some(COMPRESSED) => decompress(&frame)?,
            form => return Err(damaged(&format!("unknown form {form:?}"))),
        };
        let end =
            content.len().checked_sub(raw_bytes.unwrap_or(0)).ok_or_else(|| damaged("the raw mail is cut off"))?;
        let places = places(content.get(..end).unwrap_or_default())?;
        Ok(Self { content, places, raw: raw_bytes.map(|_| end) })
    }

    /// Returns a text; `None` for null.
    pub(crate) fn text(&self, field: BodyField) -> Result<Option<String>, StoreError> {
        self.utf8(field).map(|text| text.map(str::to_owned))
    }

    /// Returns the texts and header fields of a message.
    pub(crate) fn body(&self) -> Result<MessageBody, StoreError> {
        Ok(MessageBody {
            text: self.text(BodyField::Text)?,
            html: self.text(BodyField::Html)?,
            extracted_text: self.text(BodyField::ExtractedText)?,
            extracted_html: self.text(BodyField::ExtractedHtml)?,
            headers: self.utf8(BodyField::Headers)?.map(parse_json).transpose()?.unwrap_or_default(),
            ..MessageBody::default()
        })
    }

    /// Makes a field null if it exceeds a size, and returns whether it does.
    pub(crate) fn leave_out(&mut self, field: BodyField, largest: usize) -> bool {
        let place = self.places.get_mut(field as usize);
        place.is_some_and(|place| place.take_if(|place| place.len() > largest).is_some())
    }

    fn utf8(&self, field: BodyField) -> Result<Option<&str>, StoreError> {
        let place = self.places.get(field as usize).cloned().flatten();
        let bytes = place.and_then(|place| self.content.get(place));
        bytes.map(str::from_utf8).transpose().map_err(|error| damaged(&error.to_string()))
    }
}

/// Returns the fields of a frame in the order of [`stored_body`], for programs that copy rows.
///
/// # Errors
/// [`StoreError::Failed`] for a damaged frame.
pub fn body_fields(frame: Vec<u8>) -> Result<[Option<Vec<u8>>; FIELDS], StoreError> {
    let BodyFields { content, places, .. } = BodyFields::of(frame)?;
    Ok(places.map(|place| content.get(place?).map(<[u8]>::to_vec)))
}

/// Returns the raw mail of a frame.
///
/// # Errors
/// [`StoreError::Failed`] for a damaged frame, or one without the raw mail.
pub fn raw_of(frame: Vec<u8>) -> Result<Vec<u8>, StoreError> {
    let BodyFields { mut content, raw, .. } = BodyFields::of(frame)?;
    let beginning = raw.ok_or_else(|| damaged("it has no raw mail"))?;
    content.drain(..beginning);
    Ok(content)
}

/// Returns the size of the raw mail of a frame, of which the first five bytes suffice.
///
/// # Errors
/// [`StoreError::Failed`] for a damaged frame, or one without the raw mail.
pub(crate) fn raw_bytes(beginning: &[u8]) -> Result<u64, StoreError> {
    let length = length_at(beginning, RAW_LENGTH)?.and_then(|length| u64::try_from(length).ok());
    length.ok_or_else(|| damaged("it has no raw mail"))
}

/// Returns the text of a frame; `None` for null. What follows it is not decompressed.
pub(crate) fn text_of(frame: &[u8]) -> Result<Option<String>, StoreError> {
    let text = match frame.split_at_checked(HEADER_BYTES) {
        Some(([PLAIN, ..], content)) => first_field(content),
        Some(([COMPRESSED, ..], compressed)) => {
            content_bytes(compressed)?;
            STREAM.with_borrow_mut(|context| {
                first_field(Decoder::with_context(compressed, context.get_or_insert_with(DCtx::create)))
            })
        }
        _ => return Err(damaged("its beginning is cut off or of an unknown form")),
    };
    let text = text.map_err(|error| damaged(&error.to_string()))?;
    text.map(String::from_utf8).transpose().map_err(|error| damaged(&error.to_string()))
}

fn first_field(mut content: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; LENGTH_BYTES];
    content.read_exact(&mut length)?;
    let length = i32::from_be_bytes(length);
    if length == -1 {
        return Ok(None);
    }
    let length = u64::try_from(length).map_err(|_| io::Error::other("a length is negative"))?;
    let mut field = Vec::new();
    let read = content.take(length).read_to_end(&mut field)?;
    if u64::try_from(read).ok() == Some(length) { Ok(Some(field)) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Returns the decompressed size of a frame; that of a damaged one is its own.
pub(crate) fn decompressed_bytes(frame: &[u8]) -> usize {
    compressed_content(frame).ok().and_then(|content| content_bytes(content).ok()).unwrap_or(frame.len())
}

/// Returns the length that begins at a position; `None` for null.
fn length_at(bytes: &[u8], start: usize) -> Result<Option<usize>, StoreError> {
    let length = bytes.get(start..).and_then(|rest| rest.first_chunk().copied());
    match length.map(i32::from_be_bytes) {
        Some(-1) => Ok(None),
        Some(length) => usize::try_from(length).map(Some).map_err(|_| damaged("a length is negative")),
        None => Err(damaged("a length is cut off")),
    }
}

/// Returns the places of fields, all or none.
fn places(fields: &[u8]) -> Result<[Option<Range<usize>>; FIELDS], StoreError> {
    let mut places = [const { None }; FIELDS];
    if fields.is_empty() {
        return Ok(places);
    }
    let mut start = 0;
    for place in &mut places {
        let length = length_at(fields, start)?;
        start += LENGTH_BYTES;
        if let Some(length) = length {
            let end = start.checked_add(length).filter(|end| *end <= fields.len());
            let end = end.ok_or_else(|| damaged("a field is cut off"))?;
            *place = Some(start..end);
            start = end;
        }
    }
    if start == fields.len() { Ok(places) } else { Err(damaged("it has too many fields")) }
}

/// Decompresses the content of a frame. Its size is bounded, and the frame states it.
fn decompress(frame: &[u8]) -> Result<Vec<u8>, StoreError> {
    let compressed = compressed_content(frame)?;
    let bytes = content_bytes(compressed)?;
    let content: io::Result<Vec<u8>> = DECOMPRESSOR.with_borrow_mut(|context| {
        let decompressor = match context {
            Some(decompressor) => decompressor,
            None => context.insert(Decompressor::new()?),
        };
        decompressor.decompress(compressed, bytes)
    });
    content.map_err(|error| damaged(&error.to_string()))
}

/// Returns the zstd frame inside a compressed frame.
fn compressed_content(frame: &[u8]) -> Result<&[u8], StoreError> {
    let content = frame.strip_prefix(&[COMPRESSED]).and_then(|rest| rest.get(LENGTH_BYTES..));
    content.ok_or_else(|| damaged("it is cut off"))
}

/// Returns the decompressed size of a zstd frame, which its beginning states.
fn content_bytes(compressed: &[u8]) -> Result<usize, StoreError> {
    let bytes = get_frame_content_size(compressed).ok().flatten().and_then(|bytes| usize::try_from(bytes).ok());
    bytes.filter(|bytes| *bytes <= MAX_CONTENT_BYTES).ok_or_else(|| damaged("its size is missing or too large"))
}

fn damaged(reason: &str) -> StoreError {
    StoreError::Failed(format!("stored body cannot be read: {reason}"))
}

#[cfg(test)]
mod tests;
