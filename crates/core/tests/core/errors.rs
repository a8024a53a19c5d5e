//! Composition errors.

use inboxd_core::Error;
use inboxd_mail::{AttachmentPart, Composition, Disposition, compose};

#[test]
fn unwritable_field_is_named_once() {
    let attachment = AttachmentPart {
        filename: None,
        content_type: None,
        disposition: Disposition::Inline,
        content_id: Some("a b".to_owned()),
        content: Vec::new(),
    };
    let mail = Composition {
        attachments: vec![attachment],
        ..Composition::new("scout@inboxd.example".parse().unwrap(), "<1@inboxd.example>".to_owned())
    };
    let Error::Invalid(problems) = Error::from(compose(&mail).unwrap_err()) else { panic!("a field is at fault") };
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    assert_eq!(problem.path, "attachments[0].content_id");
    assert!(problem.message.starts_with("is not a content id"), "{}", problem.message);
}
