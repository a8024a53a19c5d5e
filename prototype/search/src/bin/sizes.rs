//! Sizes, times and candidates of segments of texts, without a database: `sizes <file of texts that end with U+0001>`.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use inboxd_search::{Block, Input, Probe, build, merge, wanted};

fn main() {
    let file = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap().to_lowercase();
    let texts: Vec<&str> = file.split('\u{1}').filter(|text| text.len() > 10).take(4_096).collect();
    let octets: usize = texts.iter().map(|text| text.len()).sum();
    print!("{} octets a text", octets / texts.len());
    let mut levels = vec![];
    let mut built = Duration::MAX;
    for _ in 0..7 {
        let began = Instant::now();
        texts.chunks(64).for_each(|some| drop(build(some.iter().copied()).unwrap()));
        built = built.min(began.elapsed());
    }
    levels.push(texts.chunks(64).map(|some| build(some.iter().copied()).unwrap()).collect::<Vec<_>>());
    let mut merged = Duration::MAX;
    for _ in 0..7 {
        levels.truncate(1);
        let began = Instant::now();
        raise(&texts, &mut levels);
        merged = merged.min(began.elapsed());
    }

    print!(
        "; build {:.0} us, merge {:.0} us a level; octets of blocks",
        built.as_secs_f64() * 1e6 / texts.len() as f64,
        merged.as_secs_f64() * 5e5 / texts.len() as f64
    );
    for level in &levels {
        let sum: usize = level.iter().flatten().map(|block| block.octets.len()).sum();
        print!(" {}", sum / texts.len());
    }
    let mut frequency: HashMap<&str, usize> = HashMap::new();
    for text in &texts {
        let mut words: Vec<&str> =
            text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() > 5).collect();
        words.sort_unstable();
        words.dedup();
        words.into_iter().for_each(|word| *frequency.entry(word).or_default() += 1);
    }
    let blocks = build(texts.iter().copied()).unwrap();
    print!("; candidates/hits");
    for (low, high) in [(1, 2), (3, 9), (10, 30), (100, 300)] {
        let mut words: Vec<&str> =
            frequency.iter().filter(|(_, count)| (low..=high).contains(*count)).map(|(word, _)| *word).collect();
        words.sort_unstable();
        let step = (words.len() / 40).max(1);
        let (mut hits, mut candidates) = (0, 0);
        for word in words.iter().step_by(step) {
            let ranges = wanted(word);
            let mut probe = Probe::new(&ranges, texts.len() as u16);
            for (place, range) in ranges.iter().enumerate() {
                let from = blocks.partition_point(|block| block.first_gram <= range.first).saturating_sub(1);
                blocks[from..]
                    .iter()
                    .take_while(|block| block.first_gram <= range.last)
                    .for_each(|block| probe.read(place, &block.octets).unwrap());
            }
            candidates += probe.candidates().count();
            hits += texts.iter().filter(|text| text.contains(word)).count();
        }
        print!(" {candidates}/{hits}");
    }
    println!();
}

/// Merges eight to one, twice.
fn raise(texts: &[&str], levels: &mut Vec<Vec<Vec<Block>>>) {
    for _ in 0..2 {
        let below = levels.last().unwrap();
        let size = texts.len() / below.len();
        let merged = below.chunks(8).map(|some| {
            let places: Vec<Vec<Option<u16>>> =
                (0..some.len()).map(|n| (0..size).map(|place| Some((n * size + place) as u16)).collect()).collect();
            let inputs: Vec<Input<'_>> =
                some.iter().zip(&places).map(|(blocks, places)| Input { blocks, places }).collect();
            merge(&inputs).unwrap()
        });
        let merged = merged.collect();
        levels.push(merged);
    }
}
