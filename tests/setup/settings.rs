//! Settings that the command writes, without and with questions.

use std::os::unix::fs::PermissionsExt;

use super::{DOMAIN, Machine, SetupOutput};

const RELAY: &str = "INBOXD_RELAY_URL=smtp://user:geheim@127.0.0.1:1";

#[tokio::test]
async fn settings_are_written_once_and_shown_without_secrets() {
    let machine = Machine::new().await;
    let relay = ["--domain", DOMAIN, "--delivery", "relay", "--set", RELAY];
    let first = machine.setup(&relay).await;
    assert_eq!(first.code, 1, "{first:?}");
    assert!(first.stdout.contains("will be created") && first.stdout.contains("INBOXD_DOMAIN = \"mail.example.org\""));
    assert!(!first.stdout.contains("geheim") && first.stdout.contains("INBOXD_RELAY_URL = (set)"), "{first:?}");
    let text = machine.text();
    for line in ["INBOXD_DOMAIN = \"mail.example.org\"", "INBOXD_DELIVERY = \"relay\"", "INBOXD_SIGNUP = \"invite\""] {
        assert!(text.contains(&format!("\n{line}\n")), "{line}: {text}");
    }
    assert!(text.contains("# INBOXD_KEY_RATE = "), "the file describes every setting");
    assert_eq!(std::fs::metadata(machine.file()).unwrap().permissions().mode() & 0o777, 0o600);
    // A repeated run changes nothing, and one with another value says so.
    let second = machine.setup(&relay).await;
    second.require("ok", "settings", "has all settings");
    assert_eq!(machine.text(), text);
    let third = machine.setup(&["--set", "INBOXD_SIGNUP=closed"]).await;
    assert!(third.stdout.contains("INBOXD_SIGNUP = \"closed\", before \"invite\""), "{third:?}");
    assert_eq!(machine.text(), text.replace("INBOXD_SIGNUP = \"invite\"", "INBOXD_SIGNUP = \"closed\""));
    third.require("fail", "relay", "127.0.0.1:1 cannot be reached");
    third.require("fail", "service", "systemctl enable --now inboxd");
    assert!(third.stderr.contains("checks failed: mend them and repeat `inboxd setup`"), "{third:?}");
}

#[tokio::test]
async fn refused_setting_writes_nothing() {
    let machine = Machine::new().await;
    for (arguments, words) in [
        (&["--yes"][..], "inboxd.localhost is no public domain: name one of your own with --domain"),
        (&["--yes", "--domain", "a b"], "INBOXD_DOMAIN must be a domain name"),
        (&["--yes", "--domain", DOMAIN, "--delivery", "pigeon"], "INBOXD_DELIVERY must be capture, relay or direct"),
        (&["--yes", "--domain", DOMAIN, "--delivery", "relay"], "INBOXD_DELIVERY=relay needs a relay"),
        (&["--yes", "--domain", DOMAIN, "--set", "INBOXD_DOMAINS=x"], "--set INBOXD_DOMAINS: write a setting of"),
        (
            &["--yes", "--domain", DOMAIN, "--set", "INBOXD_DNS_ADDR=127.0.0.9"],
            "comes from environment, which precedes",
        ),
        (&["--domain", DOMAIN, "--address", "127.0.0.1"], "is not written; --yes confirms"),
    ] {
        let output = machine.answer(arguments, "").await;
        assert!(output.code == 1 && output.stderr.contains(words), "{arguments:?}: {output:?}");
        assert!(!machine.file().exists(), "{arguments:?}");
    }
    std::fs::write(machine.file(), "INBOXD_DOMAIN = nonsense\n").unwrap();
    let output = machine.setup(&["--domain", DOMAIN]).await;
    assert!(output.stderr.contains("is not TOML: line 1"), "{output:?}");
}

#[tokio::test]
async fn answers_on_standard_input_become_settings() {
    let machine = Machine::new().await;
    // Domain, domain again, route, sign-ups, confirmation; then the steps that fail are left.
    let answers = "localhost\nmail.example.org\n\nopen\ny\ns\ns\n";
    let output = machine.answer(&["--address", "127.0.0.1"], answers).await;
    assert_eq!(output.code, 1, "{output:?}");
    for words in ["no public domain", "Outgoing mail: direct", "[direct]", "Sign-ups:", "Mend this and press Enter"] {
        assert!(output.stderr.contains(words), "{words}: {output:?}");
    }
    let text = machine.text();
    for line in ["INBOXD_DOMAIN = \"mail.example.org\"", "INBOXD_DELIVERY = \"direct\"", "INBOXD_SIGNUP = \"open\""] {
        assert!(text.contains(&format!("\n{line}\n")), "{line}: {text}");
    }
}

#[tokio::test]
async fn terminal_asks_for_the_rest_only() {
    let machine = Machine::new().await;
    std::fs::write(machine.file(), "# Ours.\nINBOXD_DOMAIN = \"mail.example.org\" # the name\n").unwrap();
    let file = machine.file().display().to_string();
    let line = format!("exec {} setup --config {file} --address 127.0.0.1", env!("CARGO_BIN_EXE_inboxd"));
    let mut command = machine.command("script");
    let mut child = command.args(["-qefc", &line, "/dev/null"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut input, b"\n\n\ns\ns\ns\n\ns\n").await.unwrap();
    drop(input);
    let output = SetupOutput::from(child.wait_with_output().await.unwrap());
    assert!(!output.stdout.contains("Domain of the inboxes"), "{}", output.stdout);
    assert!(output.stdout.contains("Write ") && output.stdout.contains("First mail out and in"), "{}", output.stdout);
    let text = machine.text();
    assert!(text.starts_with("# Ours.\nINBOXD_DOMAIN = \"mail.example.org\" # the name\n"), "{text}");
    assert!(text.contains("INBOXD_DELIVERY = \"direct\"\n") && text.contains("INBOXD_SIGNUP = \"invite\"\n"), "{text}");
}
