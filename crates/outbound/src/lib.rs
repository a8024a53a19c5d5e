//! HTTP requests that inboxd makes, behind the guard against private addresses.
