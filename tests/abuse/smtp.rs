//! One client network against the shares of the SMTP server.
