//! Evidence for and against a confirmation link.

use std::ops::Range;
use std::sync::LazyLock;

use super::lexicon::{MeaningSet, WordHit, WordLexicon, within};
use super::linked_text::{LinkedText, PlacedLink};
use super::links::LinkKind;
use super::passage::TextPassage;
use super::urls::{self, UrlTraits};
use super::words::links::{LINK_WORDS, LinkWord};

static LEXICON: LazyLock<WordLexicon<LinkWord>> = LazyLock::new(|| WordLexicon::new(LINK_WORDS));

/// Number of sentences above a lone link whose words count for the link.
const MAX_LINK_SENTENCES_ABOVE: usize = 2;
/// Maximum distance in bytes between a link and words that concern it.
const MAX_LINK_WORD_DISTANCE: usize = 400;
/// Maximum length of a button label in bytes; longer words are linked text.
const MAX_BUTTON_BYTES: usize = 90;

const KINDS: [LinkKind; 4] = [LinkKind::ResetPassword, LinkKind::Invitation, LinkKind::SignIn, LinkKind::Confirm];

/// A message with the evidence that concerns it as a whole.
pub(super) struct LinkEvidence<'a> {
    linked: &'a LinkedText,
    hits: Vec<WordHit<LinkWord>>,
    whole: MeaningSet,
    subject: MeaningSet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum IntentClarity {
    Silent,
    Vague,
    Clear,
}

impl IntentClarity {
    fn points(self, vague: i32, clear: i32) -> i32 {
        match self {
            Self::Silent => 0,
            Self::Vague => vague,
            Self::Clear => clear,
        }
    }
}

impl<'a> LinkEvidence<'a> {
    pub(super) fn new(subject: &TextPassage, linked: &'a LinkedText) -> Self {
        let hits = LEXICON.hits(&linked.passage.lower);
        Self { linked, whole: MeaningSet::of(&hits), subject: MeaningSet::of(&LEXICON.hits(&subject.lower)), hits }
    }

    /// Returns the most likely effect of the link and its confidence in hundredths; the value can exceed both ends of
    /// the scale.
    pub(super) fn classify_link(&self, link: &PlacedLink) -> Option<(LinkKind, i32)> {
        let target = urls::inspect_url(&link.url);
        let own = MeaningSet::of(within(&self.hits, link.words.start, link.words.end));
        let near = self.near(link);
        let is_refused = own.has(LinkWord::Denial)
            || (own.has(LinkWord::Away) && !own.has(LinkWord::Password))
            || (near.has(LinkWord::Denial) && !near.has(LinkWord::Ignore));
        if target.leads_away || is_refused {
            return None;
        }
        let confidence = |kind| (kind, self.confidence(kind, link, target, own, near));
        KINDS.into_iter().map(confidence).reduce(|best, next| if next.1 > best.1 { next } else { best })
    }

    fn confidence(
        &self,
        kind: LinkKind,
        link: &PlacedLink,
        target: UrlTraits,
        own: MeaningSet,
        near: MeaningSet,
    ) -> i32 {
        let (whole, subject) = (self.whole, self.subject);
        let words = self.linked.passage.slice(link.words.clone());
        let is_bare = !words.contains(char::is_alphanumeric) || words.contains("://");
        let is_mute = is_bare || own.has(LinkWord::Click);
        let clarity = intent_clarity(own, kind);

        let mut confidence = if is_bare { 0 } else { clarity.points(36, 56) };
        confidence += match (is_mute, clarity) {
            (true, _) => intent_clarity(near, kind).points(28, 42),
            (false, IntentClarity::Silent) => intent_clarity(near, kind).points(8, 20),
            (false, _) => intent_clarity(near, kind).points(8, 16),
        };
        confidence += intent_clarity(subject, kind).points(8, 15);
        confidence += match target.kind {
            Some(shown) if shown == kind => 22,
            Some(_) | None => 0,
        };
        confidence += 10 * i32::from(target.has_token);
        confidence += 5 * i32::from(whole.has(LinkWord::Care));
        confidence -= 25 * i32::from(words.len() > MAX_BUTTON_BYTES);
        confidence -= match kind {
            // A link to a sign-in page does not sign in.
            LinkKind::SignIn if !target.has_token => 60,
            LinkKind::SignIn => {
                let signs = [
                    whole.has(LinkWord::Magic),
                    whole.has(LinkWord::Care),
                    subject.has(LinkWord::SignIn) || subject.has(LinkWord::Magic),
                    target.kind == Some(kind),
                ];
                [60, 20].get(signs.into_iter().filter(|sign| *sign).count()).copied().unwrap_or(0)
            }
            LinkKind::ResetPassword if whole.has(LinkWord::Done) && !whole.has(LinkWord::Care) => 50,
            // Calls, sales and parties also have invitations and confirmations.
            LinkKind::Invitation if !whole.has(LinkWord::Invited) => 40,
            LinkKind::Invitation
                if !whole.has(LinkWord::Team)
                    && !whole.has(LinkWord::Account)
                    && intent_clarity(near, kind) != IntentClarity::Clear =>
            {
                30
            }
            LinkKind::Invitation | LinkKind::Confirm if own.has(LinkWord::Thing) || subject.has(LinkWord::Thing) => 30,
            _ if !target.has_token && target.kind != Some(kind) => 20,
            _ => 0,
        };
        confidence
    }

    /// Returns the meanings near the link: its sentence, and the sentences before it if the link stands alone.
    fn near(&self, link: &PlacedLink) -> MeaningSet {
        let passage = &self.linked.passage;
        let at = passage.sentence_at(link.words.start);
        let Some(sentence) = passage.sentences().get(at).cloned() else {
            return MeaningSet::default();
        };
        let has_words = |range: Range<usize>| passage.slice(range).contains(char::is_alphanumeric);
        let is_alone = sentence.end <= link.words.start
            || (!has_words(sentence.start..link.words.start) && !has_words(link.words.end..sentence.end));
        let first = if is_alone { at.saturating_sub(MAX_LINK_SENTENCES_ABOVE) } else { at };
        let start = passage.sentences().get(first).map_or(sentence.start, |first| first.start);
        let end = sentence.end.max(link.words.end);
        let start = start.max(link.words.start.saturating_sub(MAX_LINK_WORD_DISTANCE));
        MeaningSet::of(within(&self.hits, start, end.min(link.words.end + MAX_LINK_WORD_DISTANCE)))
    }
}

/// Returns how clearly the words request this effect: not at all, by a verb, or by a verb with its object.
fn intent_clarity(meanings: MeaningSet, kind: LinkKind) -> IntentClarity {
    let (does, names) = match kind {
        LinkKind::Confirm => {
            let is_other = meanings.has(LinkWord::Thing) && !meanings.has(LinkWord::Account);
            let does = meanings.has(LinkWord::Confirm)
                || (meanings.has(LinkWord::Complete) && meanings.has(LinkWord::Account));
            (does && !is_other, meanings.has(LinkWord::Account))
        }
        LinkKind::SignIn => {
            (meanings.has(LinkWord::SignIn) || meanings.has(LinkWord::Magic), meanings.has(LinkWord::Magic))
        }
        LinkKind::ResetPassword => (meanings.has(LinkWord::Password), meanings.has(LinkWord::Reset)),
        LinkKind::Invitation => {
            let is_other = meanings.has(LinkWord::Thing) && !meanings.has(LinkWord::Team);
            let accepts = meanings.has(LinkWord::Accept);
            let invites = meanings.has(LinkWord::Invited);
            ((accepts || invites) && !is_other, accepts && (invites || meanings.has(LinkWord::Team)))
        }
    };
    match (does, names) {
        (true, true) => IntentClarity::Clear,
        (true, false) => IntentClarity::Vague,
        _ => IntentClarity::Silent,
    }
}
