//! Running the service: health, start, stop, logs, crashes.

mod crash;
mod health;
mod log;
mod roles;
mod secrets;
mod start;
mod stop;
