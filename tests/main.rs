//! Tests of the whole product: the built binary, through HTTP and SMTP.
