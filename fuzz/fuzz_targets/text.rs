#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| inboxd_hostile::text(octets));
