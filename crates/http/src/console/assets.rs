//! Stylesheet and scripts, served under names with their hash, and the redirect from `/`.

use std::sync::OnceLock;

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, Route};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
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
    let hash = URL_SAFE_NO_PAD.encode(Sha256::digest(content.as_bytes()).get(..6).unwrap_or_default());
    format!("/assets/{name}-{hash}.{extension}")
}

/// Returns the route of `/assets/{file}`.
pub(super) fn file() -> (&'static str, Route) {
    ("get", verb("get").to(asset))
}

async fn asset(request: HttpRequest) -> PageResult {
    let path = format!("/assets/{}", path::value(&request, "file"));
    let paths = paths();
    let immutable = "public, max-age=31536000, immutable";
    let (content, kind, cache) = match path.as_str() {
        "/assets/pages.css" => (STYLESHEET, "text/css; charset=utf-8", "public, max-age=3600"),
        path if path == paths.styles => (STYLES, "text/css; charset=utf-8", immutable),
        path if path == paths.script => (SCRIPT, "text/javascript; charset=utf-8", immutable),
        path if path == paths.htmx => (HTMX, "text/javascript; charset=utf-8", immutable),
        _ => return Err(ApiError::route_not_found("GET", request.path())),
    };
    Ok(HttpResponse::Ok().content_type(kind).insert_header((CACHE_CONTROL, cache)).body(content))
}

/// Returns the route of `/`, which leads to the console.
pub(super) fn root() -> (&'static str, Route) {
    ("get", verb("get").to(async || see_other("/console")))
}
