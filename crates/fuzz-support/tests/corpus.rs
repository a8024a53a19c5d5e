//! Test of all entry points with the corpus.

use std::path::Path;

use inboxd_fuzz_support::ENTRY_POINTS;

#[test]
fn corpus_satisfies_all_properties() -> std::io::Result<()> {
    for (name, entry) in ENTRY_POINTS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
        let mut taken = 0;
        for file in std::fs::read_dir(&folder)? {
            let path = file?.path();
            println!("{}", path.display());
            entry(&std::fs::read(&path)?);
            taken += 1;
        }
        assert!(taken > 0, "{name} has no corpus");
        entry(b"");
    }
    Ok(())
}
