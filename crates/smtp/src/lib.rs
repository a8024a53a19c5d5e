//! Receiving and delivering mail over SMTP.
