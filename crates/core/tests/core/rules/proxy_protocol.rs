use inboxd_core::rules::proxy_protocol::{LOCAL_HEADER, MAX_REST_BYTES, PREFIX_BYTES, ProxyHeaderError, ProxyPrefix};
use proptest::prelude::*;

/// Returns a prefix with this command, family and length.
fn prefix(command: u8, family: u8, length: usize) -> [u8; PREFIX_BYTES] {
    let [high, low] = u16::try_from(length).unwrap().to_be_bytes();
    [&b"\r\n\r\n\0\r\nQUIT\n"[..], &[command, family, high, low]].concat().try_into().unwrap()
}

/// Returns the address of the client as text.
fn client(command: u8, family: u8, rest: &[u8]) -> Result<Option<String>, ProxyHeaderError> {
    let parsed = ProxyPrefix::parse(&prefix(command, family, rest.len()))?;
    assert_eq!(parsed.rest_bytes(), rest.len());
    Ok(parsed.client(rest)?.map(|address| address.to_string()))
}

#[test]
fn header_names_source_of_connection() {
    let v4 = [192, 0, 2, 7, 10, 0, 0, 1, 0x12, 0x67, 0, 25];
    assert_eq!(client(0x21, 0x11, &v4), Ok(Some("192.0.2.7:4711".to_owned())));
    // Extensions follow the addresses.
    assert_eq!(client(0x21, 0x11, &[&v4[..], &[4, 0, 1, 9]].concat()), Ok(Some("192.0.2.7:4711".to_owned())));
    let v6 = [&[0x20, 1, 0x0d, 0xb8][..], &[0; 11], &[7], &[0; 16], &[0x12, 0x67, 0, 25]].concat();
    assert_eq!(client(0x21, 0x21, &v6), Ok(Some("[2001:db8::7]:4711".to_owned())));
    let mapped = [&[0; 10][..], &[0xff, 0xff, 192, 0, 2, 7], &[0; 16], &[0x12, 0x67, 0, 25]].concat();
    assert_eq!(client(0x21, 0x21, &mapped), Ok(Some("192.0.2.7:4711".to_owned())));
}

#[test]
fn connection_of_proxy_itself_has_no_client() {
    for (command, family, rest) in
        [(0x20, 0x00, &[][..]), (0x20, 0x11, &[1; 12]), (0x21, 0x00, &[]), (0x21, 0x31, &[0; 216])]
    {
        assert_eq!(client(command, family, rest), Ok(None), "{command:#x} {family:#x}");
    }
}

#[test]
fn header_of_own_connection_is_local() {
    assert_eq!(LOCAL_HEADER.as_bytes(), prefix(0x20, 0, 0));
}

#[test]
fn other_headers_are_refused_with_cause() {
    for (command, family, rest, error) in [
        (0x11, 0x11, &[0; 12][..], ProxyHeaderError::Command(0x11)),
        (0x22, 0x11, &[0; 12], ProxyHeaderError::Command(0x22)),
        (0x21, 0x12, &[0; 12], ProxyHeaderError::Family(0x12)),
        (0x21, 0x41, &[0; 12], ProxyHeaderError::Family(0x41)),
        (0x21, 0x11, &[0; 11], ProxyHeaderError::Addresses),
        (0x21, 0x21, &[0; 35], ProxyHeaderError::Addresses),
        (0x20, 0x00, &[0; MAX_REST_BYTES + 1], ProxyHeaderError::Length(MAX_REST_BYTES + 1)),
    ] {
        assert_eq!(client(command, family, rest), Err(error));
    }
    for bytes in [b"PROXY TCP4 192.0", b"EHLO mail.exampl", b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03abcde"] {
        assert_eq!(ProxyPrefix::parse(bytes), Err(ProxyHeaderError::Signature));
    }
}

proptest! {
    #[test]
    fn address_of_header_is_that_of_client(source: u128, port: u16, extensions in proptest::collection::vec(0_u8.., 0..64)) {
        let rest = [&source.to_be_bytes()[..], &[0; 16], &port.to_be_bytes(), &[0, 25], &extensions].concat();
        let parsed = ProxyPrefix::parse(&prefix(0x21, 0x21, rest.len())).unwrap();
        let address = parsed.client(&rest).unwrap().unwrap();
        prop_assert_eq!(address.ip(), std::net::IpAddr::from(source.to_be_bytes()).to_canonical());
        prop_assert_eq!(address.port(), port);
    }
}
