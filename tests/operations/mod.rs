//! Running the service: health, start, stop, logs, crashes.

mod crash;
mod health;
mod log;
mod secrets;
mod start;
mod stop;
