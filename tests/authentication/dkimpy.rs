//! DKIM signing and verification with dkimpy in a separate Python environment.

use std::io::Write as _;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::sdk::venv::{assert_success, programs};

const REQUIREMENTS: &str = include_str!("python/requirements.txt");
const PROGRAM: &str = include_str!("python/mail.py");

/// A signing key with its record.
pub(crate) struct Key {
    algorithm: &'static str,
    private: String,
    pub(crate) record: String,
}

impl Key {
    /// Creates an RSA key of that size.
    pub(crate) fn rsa(bits: usize) -> Self {
        let made = openssl(&["genrsa", "-traditional", &bits.to_string()], "");
        let public = openssl(&["rsa", "-pubout"], &made);
        let public: String = public.lines().filter(|line| !line.starts_with('-')).collect();
        Self { algorithm: "rsa-sha256", private: made, record: format!("v=DKIM1; k=rsa; p={public}") }
    }

    /// The same key for signatures with SHA-1, which RFC 8301 forbids.
    pub(crate) fn with_sha1(self) -> Self {
        Self { algorithm: "rsa-sha1", ..self }
    }

    /// Creates an Ed25519 key.
    pub(crate) fn ed25519() -> Self {
        let made = run("key", &json!({}));
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        Self { algorithm: "ed25519-sha256", private: text("private"), record: text("record") }
    }

    /// Returns the mail with a signature.
    pub(crate) fn sign(&self, domain: &str, selector: &str, raw: &[u8]) -> Vec<u8> {
        self.sign_with(domain, selector, raw, &json!({}))
    }

    /// Returns the mail with a signature made with the options `how`.
    pub(crate) fn sign_with(&self, domain: &str, selector: &str, raw: &[u8], how: &Value) -> Vec<u8> {
        let mut asked = json!({
            "raw": STANDARD.encode(raw),
            "domain": domain,
            "selector": selector,
            "algorithm": self.algorithm,
            "private": self.private,
        });
        for (name, value) in how.as_object().unwrap() {
            asked[name] = value.clone();
        }
        STANDARD.decode(run("sign", &asked)["raw"].as_str().unwrap()).unwrap()
    }
}

/// Returns the result of every signature of a mail, with these TXT records.
pub(crate) fn verify(raw: &[u8], records: &Value) -> Value {
    run("verify", &json!({"raw": STANDARD.encode(raw), "records": records}))
}

fn run(what: &str, asked: &Value) -> Value {
    let python = programs("dkimpy-python", REQUIREMENTS).join("python");
    let said = run_with_input(Command::new(python).args(["-c", PROGRAM, what]), asked.to_string().as_bytes());
    serde_json::from_slice(&said).unwrap()
}

fn openssl(arguments: &[&str], input: &str) -> String {
    String::from_utf8(run_with_input(Command::new("openssl").args(arguments), input.as_bytes())).unwrap()
}

fn run_with_input(command: &mut Command, input: &[u8]) -> Vec<u8> {
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let name = command.get_program().display().to_string();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => panic!("{name}: {error}; `scripts/setup test` installs it"),
    };
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = output.stdout.clone();
    assert_success(&name, Ok(output));
    said
}
