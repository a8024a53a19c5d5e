//! Forms: `application/x-www-form-urlencoded` and `multipart/form-data` (RFC 7578), with every value of every name.

use std::convert::Infallible;

use actix_web::HttpRequest;
use actix_web::http::header::CONTENT_TYPE;
use bytes::Bytes;
use futures_util::stream;
use url::form_urlencoded;

use crate::error::{ApiError, ErrorCode};

/// Maximum number of fields and files of a form.
const MAX_PARTS: usize = 1_000;
/// Maximum size of all fields of a multipart form together, besides its files. Other forms have this size at most.
const MAX_FIELDS_BYTES: usize = 1024 * 1024;

/// A file of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UploadedFile {
    /// Name of its field.
    pub(crate) field: String,
    /// Name that the browser states.
    pub(crate) filename: String,
    /// Media type that the browser states.
    pub(crate) content_type: Option<String>,
    pub(crate) content: Bytes,
}

/// Names with their values, in the order of the request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Form {
    fields: Vec<(String, String)>,
    files: Vec<UploadedFile>,
}

impl Form {
    /// Parses `application/x-www-form-urlencoded` text, up to one field more than a form may have.
    pub(crate) fn parse(text: &[u8]) -> Self {
        let fields = form_urlencoded::parse(text).into_owned().take(MAX_PARTS + 1);
        Self { fields: fields.collect(), files: Vec::new() }
    }

    /// Returns whether a request has a multipart body.
    pub(crate) fn is_multipart(request: &HttpRequest) -> bool {
        boundary(request).is_some()
    }

    /// Parses the body of a request by its media type.
    ///
    /// # Errors
    /// 400 for a broken multipart body, or one with too many parts or too long fields.
    pub(crate) async fn of_body(request: &HttpRequest, body: Bytes) -> Result<Self, ApiError> {
        let form = match boundary(request) {
            Some(boundary) => Self::of_multipart(boundary, body).await?,
            None => Self::parse(&body),
        };
        if form.fields.len() > MAX_PARTS { Err(too_many_parts()) } else { Ok(form) }
    }

    async fn of_multipart(boundary: String, body: Bytes) -> Result<Self, ApiError> {
        let broken = |error: multer::Error| {
            ApiError::new(ErrorCode::InvalidRequest, format!("the form is broken: {error}")).fix("send the form again")
        };
        let mut parts = multer::Multipart::new(stream::iter([Ok::<_, Infallible>(body)]), boundary);
        let (mut form, mut fields_bytes) = (Self::default(), 0);
        while let Some(part) = parts.next_field().await.map_err(broken)? {
            if form.fields.len() + form.files.len() == MAX_PARTS {
                return Err(too_many_parts());
            }
            let field = part.name().unwrap_or_default().to_owned();
            let filename = part.file_name().map(str::to_owned);
            let content_type = part.content_type().map(ToString::to_string);
            let content = part.bytes().await.map_err(broken)?;
            match filename {
                None => {
                    fields_bytes += content.len();
                    if fields_bytes > MAX_FIELDS_BYTES {
                        return Err(too_long_fields());
                    }
                    form.fields.push((field, String::from_utf8_lossy(&content).into_owned()));
                }
                // A field without a chosen file.
                Some(filename) if filename.is_empty() && content.is_empty() => {}
                Some(filename) => form.files.push(UploadedFile { field, filename, content_type, content }),
            }
        }
        Ok(form)
    }

    /// Returns the files of a field.
    pub(crate) fn files<'a>(&'a self, field: &'a str) -> impl Iterator<Item = &'a UploadedFile> {
        self.files.iter().filter(move |file| file.field == field)
    }

    /// Returns the first value of a name. An empty value counts as absent (RFC 6749, section 3.1).
    pub(crate) fn one(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(other, value)| other == name && !value.is_empty()).map(|(_, value)| value.as_str())
    }

    /// Returns the values of a name that are not empty.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.fields
            .iter()
            .filter(move |(other, value)| other == name && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    /// Returns the first of some names that occurs more than once, with or without a value.
    pub(crate) fn repeated<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().copied().find(|name| self.fields.iter().filter(|(other, _)| other == name).count() > 1)
    }
}

/// Returns the boundary of a multipart request.
fn boundary(request: &HttpRequest) -> Option<String> {
    let kind = request.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    multer::parse_boundary(kind).ok()
}

fn too_many_parts() -> ApiError {
    ApiError::new(ErrorCode::InvalidRequest, "the form has too many fields")
        .fix(format!("send at most {MAX_PARTS} fields and files"))
}

fn too_long_fields() -> ApiError {
    ApiError::new(ErrorCode::InvalidRequest, "the text of the form is longer than 1 MB")
        .fix("shorten the text, or attach it as a file")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

    use super::*;

    #[test]
    fn values_are_found_by_name() {
        let form = Form::parse(b"a=1&b=&a=2&c=%2B+x&d");
        assert_eq!(form.one("a"), Some("1"));
        assert_eq!(form.all("a").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!((form.one("b"), form.one("c"), form.one("d"), form.one("e")), (None, Some("+ x"), None, None));
        assert_eq!(form.repeated(&["b", "a"]), Some("a"));
        assert_eq!(form.repeated(&["b", "c"]), None);
    }

    #[tokio::test]
    async fn multipart_has_fields_and_files() {
        let body = "--x\r\nContent-Disposition: form-data; name=\"subject\"\r\n\r\nHällo\r\n--x\r\n\
            Content-Disposition: form-data; name=\"files\"; filename=\"a b.txt\"\r\nContent-Type: text/plain\r\n\r\n\
            one\r\ntwo\r\n--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"\"\r\n\r\n\r\n--x--\r\n";
        let form = Form::of_multipart("x".to_owned(), Bytes::from(body)).await.unwrap();
        assert_eq!(form.one("subject"), Some("Hällo"));
        let files: Vec<_> = form.files("files").collect();
        assert_eq!(files.len(), 1);
        assert_eq!((files[0].filename.as_str(), files[0].content.as_ref()), ("a b.txt", &b"one\r\ntwo"[..]));
        assert_eq!(files[0].content_type.as_deref(), Some("text/plain"));
        let broken = Form::of_multipart("x".to_owned(), Bytes::from("--x\r\nnothing")).await.unwrap_err();
        assert_eq!(broken.code, ErrorCode::InvalidRequest);
    }

    #[tokio::test]
    async fn text_of_multipart_is_bounded() {
        for (length, is_refused) in [(MAX_FIELDS_BYTES, false), (MAX_FIELDS_BYTES + 1, true)] {
            let text = "x".repeat(length);
            let part = |name| format!("--x\r\nContent-Disposition: form-data; {name}\r\n\r\n{text}\r\n");
            let field = format!("{}--x--\r\n", part("name=\"text\""));
            assert_eq!(Form::of_multipart("x".to_owned(), field.into()).await.is_err(), is_refused, "{length}");
            let file = format!("{}--x--\r\n", part("name=\"files\"; filename=\"a.txt\""));
            assert!(Form::of_multipart("x".to_owned(), file.into()).await.is_ok());
        }
    }

    #[tokio::test]
    async fn fields_are_bounded() {
        let request = actix_web::test::TestRequest::default().to_http_request();
        for (count, is_refused) in [(MAX_PARTS, false), (MAX_PARTS + 1, true), (10 * MAX_PARTS, true)] {
            let read = Form::of_body(&request, Bytes::from("a&".repeat(count))).await;
            assert_eq!(read.is_err(), is_refused, "{count}");
        }
    }
}
