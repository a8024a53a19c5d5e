//! Page tokens: opaque, signed, and good for the list that handed them out alone.

use inboxd_core::model::Cursor;
use inboxd_core::rules::signing::SigningKey;
use time::OffsetDateTime;

const PURPOSE: &str = "page token";

/// Which list a token belongs to: its organization, endpoint, ids, filters and direction, but not its `limit`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TokenBinding([u8; 32]);

impl TokenBinding {
    pub(crate) fn of(key: &SigningKey, parts: &[String]) -> Self {
        let parts: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
        Self(key.mac("page scope", &parts))
    }

    /// The token that leads to the rows behind a place of the list.
    pub(crate) fn token(&self, key: &SigningKey, place: &Cursor) -> String {
        let nanos = place.time.unix_timestamp_nanos().to_be_bytes();
        key.sign(PURPOSE, &[self.0.as_slice(), &nanos, place.id.as_bytes()].concat())
    }

    /// The place that a token of this list leads to; `None` for any other text.
    pub(crate) fn place(&self, key: &SigningKey, token: &str) -> Option<Cursor> {
        let payload = key.verify(PURPOSE, token)?;
        let (nanos, id) = payload.strip_prefix(self.0.as_slice())?.split_first_chunk::<16>()?;
        let time = OffsetDateTime::from_unix_timestamp_nanos(i128::from_be_bytes(*nanos)).ok()?;
        Some(Cursor { time, id: String::from_utf8(id.to_vec()).ok()? })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key() -> SigningKey {
        SigningKey::new([7; 32])
    }

    fn scope(parts: &[&str]) -> TokenBinding {
        TokenBinding::of(&key(), &parts.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>())
    }

    proptest! {
        #[test]
        fn a_token_leads_back_to_its_place(nanos in -10i128.pow(18)..10i128.pow(19), id in ".{0,80}") {
            let time = OffsetDateTime::from_unix_timestamp_nanos(nanos).unwrap_or(OffsetDateTime::UNIX_EPOCH);
            let place = Cursor { time, id };
            let token = scope(&["a"]).token(&key(), &place);
            prop_assert_eq!(scope(&["a"]).place(&key(), &token), Some(place.clone()));
            prop_assert_eq!(scope(&["b"]).place(&key(), &token), None);
            prop_assert_eq!(scope(&["a"]).place(&SigningKey::new([8; 32]), &token), None);
        }

        #[test]
        fn other_texts_lead_nowhere(text in ".{0,120}") {
            prop_assert_eq!(scope(&["a"]).place(&key(), &text), None);
        }
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(scope(&["ab", "c"]), scope(&["a", "bc"]));
        assert_ne!(scope(&["a"]), scope(&["a", ""]));
    }
}
