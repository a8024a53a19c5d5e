use crate::media_type::media_type;

#[test]
fn media_type_retains_type_and_charset_only() {
    for (field, kept) in [
        ("application/pdf", Some("application/pdf")),
        ("Image/PNG", Some("image/png")),
        ("text/csv; charset=UTF-8; header=present", Some("text/csv; charset=utf-8")),
        ("text/html;CharSet=\"iso-8859-1\"", Some("text/html; charset=iso-8859-1")),
        ("text/plain; charset=\"a b\"", Some("text/plain")),
        ("application/vnd.ms-excel ; name=\"a.xls\"", Some("application/vnd.ms-excel")),
        ("multipart/form-data; boundary=x", None),
        ("message/rfc822", Some("message/rfc822")),
        ("text", None),
        ("text/", None),
        ("text/plain\r\nX: y", None),
        ("te xt/plain", None),
        ("", None),
    ] {
        assert_eq!(media_type(field.as_bytes()).as_deref(), kept, "{field:?}");
    }
    assert_eq!(media_type(b"text/\xff"), None);
    assert_eq!(media_type(format!("text/{}", "x".repeat(200)).as_bytes()), None);
}
