//! Signing domains of the service's own mail.

use super::name::is_local;

/// Returns the service's own domains that sign mail. Local names do not sign, because receivers cannot look up their
/// keys.
#[must_use]
pub fn signing_domains<'a>(domain: &'a str, signup_domain: &'a str) -> Vec<&'a str> {
    let own = [domain, signup_domain].map(|sender| signing_domain(domain, signup_domain, sender));
    let mut names: Vec<&str> = own.into_iter().filter(|name| !is_local(name)).collect();
    names.dedup();
    names
}

/// Returns the signing domain for mail from one of the service's own domains. It is the service domain, which also
/// signs for its subdomains, unless the sender is at a sign-up domain outside it.
#[must_use]
pub fn signing_domain<'a>(domain: &'a str, signup_domain: &'a str, sender: &str) -> &'a str {
    let is_within =
        |name: &str, of: &str| name.strip_suffix(of).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    let of_signup = is_within(sender, signup_domain) && !is_within(signup_domain, domain);
    if of_signup { signup_domain } else { domain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domain_signs_for_its_subdomains() {
        let (own, below, apart) = ("in.example", "signup.in.example", "signup.example");
        assert_eq!(signing_domains(own, below), [own]);
        assert_eq!(signing_domains(own, own), [own]);
        assert_eq!(signing_domains(own, apart), [own, apart]);
        assert_eq!(signing_domains("in.localhost", "signup.in.localhost"), [""; 0]);
        assert_eq!(signing_domain(own, below, below), own);
        assert_eq!(signing_domain(own, apart, apart), apart);
        assert_eq!(signing_domain(own, apart, own), own);
        assert_eq!(signing_domain(own, apart, "custom.example"), own);
        assert_eq!(signing_domain(own, apart, "notsignup.example"), own);
    }
}
