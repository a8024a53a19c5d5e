//! inboxd.
fn main() {}
