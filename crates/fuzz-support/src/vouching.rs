//! Properties of message authentication: signatures, chains, records, names.

use inboxd_core::model::AuthResult;
use inboxd_core::ports::{DmarcEvidence, DmarcPolicy, Evidence, SignatureEvidence, SpfEvidence};
use inboxd_core::rules::authentication::results_field;
use inboxd_smtp::authentication::offline::{is_record, verify_with};

/// Public key (RFC 8463, appendix A.2); the corpus contains a message signed with it.
const KEY: &str = "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

/// Verifies the signatures and the chain of a message and writes the results into a field.
pub fn vouched(raw: &[u8]) {
    let Ok(result) = verify_with(raw, KEY) else { panic!("resolver is available") };
    assert!(result.dkim.len() <= 10, "signatures are bounded");
    check_field(result.dkim, result.author, String::new());
}

/// Verifies that untrusted names appear in the field unchanged or not at all.
pub fn names(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let signature = SignatureEvidence { result: AuthResult::Fail, domain: text.clone(), selector: text.clone() };
    let field = check_field(vec![signature], Some(text.clone()), text.clone());
    for property in field.split([' ', ';']) {
        if let Some((name @ ("smtp.mailfrom" | "header.d" | "header.s" | "header.from"), value)) =
            property.split_once('=')
        {
            assert_eq!(value, text, "{name}");
        }
    }
}

/// Parses an SPF or DMARC record.
pub fn records(bytes: &[u8]) {
    let _ = is_record(&String::from_utf8_lossy(bytes));
}

fn check_field(dkim: Vec<SignatureEvidence>, from_domain: Option<String>, domain: String) -> String {
    let result = AuthResult::Fail;
    let dmarc = DmarcEvidence { result, policy: DmarcPolicy::Reject, from_domain, aligned_domain: None };
    let evidence = Evidence { spf: SpfEvidence { result, domain, of_helo: false }, dkim, dmarc, arc: None };
    let field = results_field("mx.inboxd.test", &evidence);
    assert!(field.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "field is one line: {field:?}");
    assert!(field.matches("spf=").count() == 1 && field.matches("dmarc=").count() == 1, "{field}");
    field
}
