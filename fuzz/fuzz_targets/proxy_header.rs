#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inboxd_fuzz_support::proxy_header(bytes));
