//! Reading: bytes to text, with a reason for whatever is left out. In parallel, results in order of path.

use super::Manifest;
use super::walk::Candidate;
use crate::report::Skipped;
use crate::source::{Source, Sources};
use rayon::prelude::*;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Larger source files are data or bundles.
const MAX_SOURCE: u64 = 4 << 20;
/// Lock files of large workspaces pass the limit of source files.
const MAX_MANIFEST: u64 = 32 << 20;

/// Reads source files.
pub(super) fn sources(candidates: Vec<Candidate>) -> (Sources, Vec<Skipped>) {
    let read: Vec<Result<Source, Skipped>> = candidates.into_par_iter().map(source).collect();
    let (mut sources, mut skipped) = (Sources::default(), Vec::new());
    for file in read {
        match file {
            Ok(source) => sources.files.push(source),
            Err(file) => skipped.push(file),
        }
    }
    (sources, skipped)
}

/// Reads manifests; one that cannot be read is as good as none.
pub(super) fn manifests(candidates: Vec<Candidate>) -> Vec<Manifest> {
    let read = candidates.into_par_iter().map(|candidate| {
        let text = text(&candidate.file, MAX_MANIFEST).ok()?;
        Some(Manifest { path: candidate.shown, text: Arc::from(text) })
    });
    read.collect::<Vec<_>>().into_iter().flatten().collect()
}

fn source(candidate: Candidate) -> Result<Source, Skipped> {
    let Candidate { file, shown, is_test } = candidate;
    let out = |reason: String, file: &str| Skipped { file: file.to_string(), reason };
    if let Some(reason) = generated_name(&shown) {
        return Err(out(reason.into(), &shown));
    }
    let text = text(&file, MAX_SOURCE).map_err(|reason| out(reason, &shown))?;
    match generated_text(&text) {
        Some(reason) => Err(out(reason.into(), &shown)),
        None => Ok(Source::new(shown, &text, is_test)),
    }
}

/// A file's text without a byte order mark, or why there is none.
fn text(file: &Path, limit: u64) -> Result<String, String> {
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        std::io::ErrorKind::NotFound => "no such file".to_string(),
        // The system's own words differ between machines.
        _ => "cannot be read".to_string(),
    };
    let handle = std::fs::File::open(file).map_err(failed)?;
    let mut bytes = Vec::new();
    // One byte more than allowed, so that a file that grows or lies about its size stays bounded.
    handle.take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(format!("larger than {} MiB", limit >> 20));
    }
    if bytes.iter().take(8192).any(|&b| b == 0) {
        return Err("binary".into());
    }
    let mut text = String::from_utf8(bytes).map_err(|_| "not UTF-8".to_string())?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

fn generated_name(path: &str) -> Option<&'static str> {
    let minified = [".min.js", ".min.mjs", ".min.cjs"].iter().any(|end| path.ends_with(end));
    let generated = ["_pb2.py", "_pb2_grpc.py", "_pb2.pyi"].iter().any(|end| path.ends_with(end));
    if minified { Some("minified") } else { generated.then_some("generated") }
}

/// What a text says about itself: a mark on its first line (or the second, below `#!`), or lines that no
/// person writes.
fn generated_text(text: &str) -> Option<&'static str> {
    let marked = |line: &str| line.contains("@generated") || line.contains("DO NOT EDIT");
    let head = if text.starts_with("#!") { 2 } else { 1 };
    if text.lines().take(head).any(marked) {
        return Some("generated");
    }
    let bundled = text.len() > 200_000 && text.len() / (text.lines().count().max(1)) > 1000;
    bundled.then_some("minified")
}
