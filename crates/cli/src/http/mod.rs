//! HTTP client of the API.

mod base_url;
mod body;
mod client;
mod request;
mod tls;

pub(crate) use base_url::BaseUrl;
pub(crate) use client::{ApiClient, BROKEN};
pub(crate) use request::{ApiRequest, encode_segment};
pub(crate) use tls::tls_config;
