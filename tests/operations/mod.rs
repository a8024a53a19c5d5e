//! Operation of the service: health, start, stop, logs, crashes and admin commands.

mod admin;
mod blobs;
mod config;
mod crash;
mod doctor;
mod health;
mod log;
mod ready;
mod replacement;
mod reports;
mod roles;
pub(crate) mod secrets;
mod service;
mod settings;
mod standbys;
mod start;
mod stop;
