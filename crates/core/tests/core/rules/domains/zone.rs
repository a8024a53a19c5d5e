use inboxd_core::model::{Domain, DomainName};
use inboxd_core::rules::domains::records::wanted;
use inboxd_core::rules::domains::zone::zone_file;
use inboxd_core::testing::fixtures;

#[test]
fn long_text_is_split_into_strings() {
    let name = DomainName::stored("example.com".to_owned());
    let records = wanted(&name, "inboxd.example", &"k".repeat(392), true, true);
    let domain = Domain { records, ..fixtures::domain() };
    let zone = zone_file(&domain);
    assert!(zone.contains("\nexample.com. IN MX 10 inboxd.example.\n"), "{zone}");
    assert!(zone.contains("\n*.example.com. IN MX 10 inboxd.example.\n"), "{zone}");
    assert!(zone.contains("\nexample.com. IN TXT \"v=spf1 include:inboxd.example ~all\"\n"), "{zone}");
    assert!(zone.contains("\n_dmarc.example.com. IN TXT \"v=DMARC1; p=none\"\n"), "{zone}");
    let key = zone.lines().find(|line| line.starts_with("inboxd._domainkey.example.com. IN TXT ")).unwrap();
    let strings: Vec<&str> = key.split('"').skip(1).step_by(2).collect();
    assert_eq!(strings.len(), 2);
    assert!(strings.iter().all(|text| text.len() <= 255));
    assert_eq!(strings.concat(), format!("v=DKIM1; k=rsa; p={}", "k".repeat(392)));
}
