//! The command line client, run as a person or a script would run it.

mod commands;
mod login;
mod mail;
mod output;
mod profiles;
mod program;
mod quickstart;
mod shells;
mod statuses;
mod terminal;
mod watch;
