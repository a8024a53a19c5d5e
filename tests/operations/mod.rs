//! Operation of the service: health, start, stop, logs, crashes and admin commands.

mod admin;
mod config;
mod crash;
mod doctor;
mod health;
mod log;
mod roles;
pub(crate) mod secrets;
mod start;
mod stop;
