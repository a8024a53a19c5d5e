//! Running the service: health, start, stop, logs, crashes.

mod crash;
mod health;
mod log;
mod start;
mod stop;
