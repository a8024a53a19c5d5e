//! Running the service: health, start, stop, logs, crashes, and what operators do by hand.

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
