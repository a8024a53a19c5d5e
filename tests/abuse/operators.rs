//! Suspended organizations, paused inboxes and unsafe starts.
