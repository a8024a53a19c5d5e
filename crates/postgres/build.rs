//! Lists the folders of `migrations` for `src/migrate.rs`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let migrations = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../migrations");
    println!("cargo::rerun-if-changed={}", migrations.display());
    let mut folders = Vec::new();
    for entry in fs::read_dir(&migrations)? {
        let path = entry?.path();
        if path.join("up.sql").is_file() {
            folders.push(path);
        }
    }
    folders.sort();
    let migration = |folder: &PathBuf| {
        let (name, up) = (folder.file_name()?.to_str()?, folder.join("up.sql"));
        Some(format!("SchemaMigration {{ name: {name:?}, up: include_str!({:?}) }}", up.to_str()?))
    };
    let list = folders.iter().filter_map(migration).collect::<Vec<_>>().join(", ");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("migrations.rs"), format!("&[{list}]"))?;
    Ok(())
}
