//! Mails of words that are used as words are: few often, most seldom. The same number gives the same mail.

/// A sequence of numbers that looks random.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The words that can be written, the most usual first.
pub struct Words {
    pub words: Vec<String>,
    sums: Vec<f64>,
}

const WORDS: usize = 50_000;
const ONSETS: [&str; 32] = [
    "", "", "", "t", "t", "s", "s", "r", "n", "n", "l", "d", "d", "c", "m", "m", "p", "b", "f", "g", "h", "v", "w",
    "st", "tr", "pr", "ch", "sh", "th", "pl", "gr", "k",
];
const VOWELS: [&str; 16] = ["e", "e", "e", "e", "a", "a", "a", "i", "i", "i", "o", "o", "u", "ea", "ou", "y"];
const ENDS: [&str; 20] =
    ["", "", "", "", "", "n", "n", "r", "r", "s", "s", "t", "l", "nd", "ng", "nt", "ck", "m", "d", "st"];

impl Words {
    pub fn new() -> Self {
        let mut numbers = Numbers::new(1);
        let mut known = std::collections::HashSet::new();
        let mut words = Vec::new();
        while words.len() < WORDS {
            // What is said often is short.
            let most = if words.len() < 200 {
                1
            } else if words.len() < 3_000 {
                2
            } else {
                3
            };
            let syllables = 1 + numbers.below(most) + usize::from(words.len() > 3_000);
            let word: String = (0..syllables)
                .map(|_| {
                    format!("{}{}{}", ONSETS[numbers.below(32)], VOWELS[numbers.below(16)], ENDS[numbers.below(20)])
                })
                .collect();
            if known.insert(word.clone()) {
                words.push(word);
            }
        }
        let mut sum = 0.0;
        let sums = (1..=WORDS)
            .map(|rank| {
                sum += 1.0 / (rank as f64 + 2.0);
                sum
            })
            .collect();
        Self { words, sums }
    }

    fn any(&self, numbers: &mut Numbers) -> &str {
        let wanted = numbers.unit() * self.sums.last().unwrap();
        &self.words[self.sums.partition_point(|sum| *sum < wanted).min(WORDS - 1)]
    }

    /// What searches look through of a mail: sender, recipient, subject and text, 2 to 4 KB.
    pub fn search_text(&self, number: u64) -> String {
        let mut numbers = Numbers::new(number.wrapping_mul(7_919) + 17);
        let people = ["anna", "ben", "carla", "dimitri", "elif", "farid", "grace", "hugo"];
        let mut text = format!(
            "{} {} <{}@{}.example>\nagent@inbox.example\n",
            people[numbers.below(8)],
            self.any(&mut numbers),
            self.any(&mut numbers),
            self.any(&mut numbers)
        );
        for _ in 0..6 {
            text += self.any(&mut numbers);
            text.push(' ');
        }
        text.push('\n');
        let length = 2_000 + numbers.below(2_000);
        while text.len() < length {
            text += self.any(&mut numbers);
            text += match numbers.below(24) {
                0 => ", ",
                1 => ". ",
                2 => ".\n\n",
                3 => "\n",
                _ => " ",
            };
            if numbers.below(150) == 0 {
                text += &format!("https://www.{}.example/{:x} ", self.any(&mut numbers), numbers.next());
            }
            if numbers.below(80) == 0 {
                text += &format!("{} ", numbers.below(100_000));
            }
        }
        for rare in ["marzipan", "qj", "§"] {
            if numbers.below(20_000) == 0 {
                text.push(' ');
                text += rare;
                text.push(' ');
            }
        }
        text
    }
}
