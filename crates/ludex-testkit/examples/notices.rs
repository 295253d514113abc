//! Writes the licences of all packages that are part of the command, with the notices that these ask for.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, PackageId};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ludex-cli/Cargo.toml");
    let metadata = MetadataCommand::new().manifest_path(manifest).exec()?;
    let parts = parts(&metadata).ok_or("the command is no package of the workspace")?;
    for package in metadata.packages.iter().filter(|package| parts.contains(&package.id)) {
        // The workspace's own licences are files beside this one.
        if package.source.is_none() {
            continue;
        }
        let licence = package.license.as_deref().unwrap_or("see below");
        println!("{} {}: {licence}", package.name, package.version);
        println!("{}\n", package.repository.as_deref().unwrap_or_default());
        let folder = package.manifest_path.parent().ok_or("a package without a folder")?;
        let mut texts: Vec<_> = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
        texts.sort();
        for path in texts.iter().filter(|path| path.is_file()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
            if ["LICENSE", "LICENCE", "COPYING", "NOTICE"].iter().any(|start| name.starts_with(start)) {
                println!("{}", fs::read_to_string(path)?);
            }
        }
        println!("{}\n", "-".repeat(80));
    }
    Ok(())
}

/// The packages that the command is built of, itself among them.
fn parts(metadata: &Metadata) -> Option<BTreeSet<PackageId>> {
    let resolve = metadata.resolve.as_ref()?;
    let mut parts = BTreeSet::new();
    let mut open = vec![resolve.root.clone()?];
    while let Some(id) = open.pop() {
        if !parts.insert(id.clone()) {
            continue;
        }
        let node = resolve.nodes.iter().find(|node| node.id == id)?;
        let is_part = |kind: &cargo_metadata::DepKindInfo| kind.kind == DependencyKind::Normal;
        let normal = node.deps.iter().filter(|dependency| dependency.dep_kinds.iter().any(is_part));
        open.extend(normal.map(|dependency| dependency.pkg.clone()));
    }
    Some(parts)
}
