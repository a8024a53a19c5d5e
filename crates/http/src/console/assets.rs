//! Stylesheet and scripts, served under names with their hash, and the redirect from `/`.

use std::io::Write as _;
use std::sync::OnceLock;

use actix_web::http::header::{AcceptEncoding, CACHE_CONTROL, CONTENT_ENCODING, Encoding, Header as _, VARY};
use actix_web::{HttpRequest, HttpResponse, Route};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

use super::call::{PageResult, see_other};
use crate::error::ApiError;
use crate::pages::STYLESHEET;
use crate::path;
use crate::routes::verb;

/// Stylesheet of the console.
const STYLES: &str = concat!(
    include_str!("../../templates/console/css/base.css"),
    include_str!("../../templates/console/css/mail.css"),
    include_str!("../../templates/console/css/settings.css"),
);
/// The module of the console: composer, shortcuts, live updates.
const SCRIPT: &str = include_str!("../../templates/console/console.js");
/// htmx, as published; licence and checksum are beside it.
const HTMX: &str = include_str!("../../templates/console/vendor/htmx.min.js");

/// Icon of the pages.
const ICON: &str = include_str!("../../templates/icon.svg");

/// Paths of the assets.
pub(crate) struct AssetPaths {
    pub(crate) styles: String,
    pub(crate) script: String,
    pub(crate) htmx: String,
}

/// Returns the paths of the assets.
pub(crate) fn paths() -> &'static AssetPaths {
    static PATHS: OnceLock<AssetPaths> = OnceLock::new();
    PATHS.get_or_init(|| AssetPaths {
        styles: path_of("console", STYLES, "css"),
        script: path_of("console", SCRIPT, "js"),
        htmx: path_of("htmx", HTMX, "js"),
    })
}

fn path_of(name: &str, content: &str, extension: &str) -> String {
    let hash = Sha256::digest(content.as_bytes());
    let hash: String = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("/assets/{name}-{hash}.{extension}")
}

/// A file of the pages with its gzip form (RFC 1952). Pages themselves are never compressed: their length would tell
/// about the tokens of their forms.
struct Asset {
    path: String,
    kind: &'static str,
    cache: &'static str,
    plain: &'static str,
    compressed: Option<Bytes>,
}

/// Lifetime of a file whose name changes with its content.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// Returns all files.
fn all() -> &'static [Asset] {
    static ASSETS: OnceLock<Vec<Asset>> = OnceLock::new();
    ASSETS.get_or_init(|| {
        let AssetPaths { styles, script, htmx } = paths();
        let (css, js) = ("text/css; charset=utf-8", "text/javascript; charset=utf-8");
        let files = [
            ("/assets/pages.css", css, "public, max-age=3600", STYLESHEET),
            ("/assets/icon.svg", "image/svg+xml", "public, max-age=86400", ICON),
            (styles, css, IMMUTABLE, STYLES),
            (script, js, IMMUTABLE, SCRIPT),
            (htmx, js, IMMUTABLE, HTMX),
        ];
        let asset = |(path, kind, cache, plain): (&str, _, _, &'static str)| {
            let compressed = compress(plain.as_bytes()).ok();
            Asset { path: path.to_owned(), kind, cache, plain, compressed }
        };
        files.into_iter().map(asset).collect()
    })
}

fn compress(content: &[u8]) -> std::io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    encoder.finish().map(Bytes::from)
}

/// Returns the route of `/assets/{file}`.
pub(super) fn file() -> (&'static str, Route) {
    ("get", verb("get").to(asset))
}

async fn asset(request: HttpRequest) -> PageResult {
    let path = format!("/assets/{}", path::value(&request, "file"));
    let asset = all().iter().find(|asset| asset.path == path);
    let asset = asset.ok_or_else(|| ApiError::route_not_found("GET", request.path()))?;
    let mut response = HttpResponse::Ok();
    response
        .content_type(asset.kind)
        .insert_header((CACHE_CONTROL, asset.cache))
        .insert_header((VARY, "Accept-Encoding"));
    let offered = [Encoding::gzip(), Encoding::identity()];
    let chosen = AcceptEncoding::parse(&request).ok().and_then(|accepted| accepted.negotiate(offered.iter()));
    Ok(match &asset.compressed {
        Some(compressed) if chosen == Some(Encoding::gzip()) => {
            response.insert_header((CONTENT_ENCODING, "gzip")).body(compressed.clone())
        }
        _ => response.body(asset.plain),
    })
}

/// Returns the route of `/`, which leads to the console.
pub(super) fn root() -> (&'static str, Route) {
    ("get", verb("get").to(async || see_other("/console")))
}
