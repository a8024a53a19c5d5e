//! MTA-STS policy of the service domains (RFC 8461).

use inboxd_testkit::DnsServer;

use super::{CertificateFolder, NAME, curl};

#[tokio::test]
async fn policy_is_served_at_its_hosts_only() {
    let certificate = CertificateFolder::new();
    let server = certificate.options().set("INBOXD_MTA_STS", "enforce").start().await;
    let host = format!("mta-sts.{NAME}");
    for version in ["--http1.1", "--http2"] {
        let policy = curl(&server, &certificate, &host, &[version, "{base}/.well-known/mta-sts.txt"]).await;
        assert!(policy.to_lowercase().contains("content-type: text/plain"), "{policy}");
        let text = "version: STSv1\r\nmode: enforce\r\nmx: mail.inboxd.test\r\nmax_age: 604800\r\n";
        assert!(policy.ends_with(&format!("\r\n\r\n{text}")), "{policy}");
        let other = curl(&server, &certificate, NAME, &[version, "{base}/.well-known/mta-sts.txt"]).await;
        assert!(other.contains("route_not_found") || other.contains("404"), "{other}");
    }
}

#[tokio::test]
async fn policy_is_off_by_default() {
    let certificate = CertificateFolder::new();
    let server = certificate.options().start().await;
    let host = format!("mta-sts.{NAME}");
    let response = curl(&server, &certificate, &host, &["--http1.1", "{base}/.well-known/mta-sts.txt"]).await;
    assert!(response.starts_with("HTTP/1.1 404"), "{response}");
}

#[tokio::test]
async fn doctor_shows_record_of_policy_and_names_of_certificate() {
    let certificate = CertificateFolder::new();
    let dns = DnsServer::start().await;
    let domain = "mail.example.org";
    for name in [domain, "mta-sts.mail.example.org"] {
        dns.host(name, "127.0.0.1".parse().unwrap());
    }
    certificate.write(domain);
    let options = certificate.options().set("INBOXD_DOMAIN", domain).set("INBOXD_SIGNUP_DOMAIN", domain);
    let options = options.set("INBOXD_BASE_URL", format!("https://{domain}")).set("INBOXD_MTA_STS", "testing");
    let server = options.dns(&dns).start().await;
    let output = server.command(&["doctor"]).await;
    let text = String::from_utf8(output.stdout).unwrap();
    let publish = "publish `_mta-sts.mail.example.org. TXT \"v=STSv1; id=";
    assert!(text.contains("mta-sts.mail.example.org has an address") && text.contains(publish), "{text}");
    let id: String = text.split(publish).nth(1).unwrap().chars().take_while(char::is_ascii_alphanumeric).collect();
    dns.txt("_mta-sts.mail.example.org", &format!("v=STSv1; id={id}"));
    let text = String::from_utf8(server.command(&["doctor"]).await.stdout).unwrap();
    assert!(text.contains("mail.example.org has `v=STSv1; id="), "{text}");
    assert!(text.contains("is self-signed, which no client trusts"), "{text}");
}
