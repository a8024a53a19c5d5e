use inboxd_core::rules::codes::{derive, parse};

#[test]
fn code_is_six_digits_of_first_eight_bytes() {
    let of = |number: u64| {
        let mut bytes = [0xff; 32];
        bytes[..8].copy_from_slice(&number.to_be_bytes());
        derive(&bytes)
    };
    for (number, code) in
        [(0, "000000"), (42, "000042"), (999_999, "999999"), (1_000_000, "000000"), (u64::MAX, "551615")]
    {
        assert_eq!(of(number), code, "{number}");
    }
}

#[test]
fn code_input_is_six_digits_with_optional_surrounding_space() {
    for sent in ["012345", " 012345\n", "\t012345"] {
        assert_eq!(parse(sent).unwrap(), "012345");
    }
    for sent in ["", "12345", "1234567", "12345a", "12 345", "+12345", "١٢٣"] {
        assert!(parse(sent).is_err(), "{sent}");
    }
}
