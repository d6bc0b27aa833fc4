//! The Rust front end: syn's syntax trees, lowered in the thread that parsed them.
//!
//! A scan of the bytes comes first. It says how much stack parsing may need: little for nearly every file,
//! then all happens here; more, then on a thread of its own; too much, then the items at fault are left out.

mod attrs;
mod blocks;
mod classes;
mod const_generics;
mod control;
mod exprs;
mod functions;
mod ignores;
mod items;
mod lex;
mod literals;
mod lowerer;
mod macros;
mod operators;
mod paths;
mod patterns;
mod recover;
mod scan;
mod scope;
mod spans;
mod testing;
#[cfg(test)]
mod tests;
mod types;
mod uses;

use crate::ir::{File, Language, MODULE, Span};
use crate::lower::Builder;
use lowerer::Lowerer;
use scope::FrameKind;
use std::borrow::Cow;

/// Estimated need up to which a file is parsed on the stack at hand (rayon's threads have 2 MiB).
const HERE: usize = 1 << 20;
/// Estimated need up to which it is parsed at all.
const MOST: usize = 128 << 20;
/// Stack on top of the estimate.
const SPARE: usize = 2 << 20;
/// Room for the macros that a file expands: what it nests in them adds up.
const MACROS: usize = if cfg!(debug_assertions) { 32 << 20 } else { 8 << 20 };

/// Lowers one Rust file.
pub fn lower(path: &str, source: &str) -> File {
    let mut b = Builder::new(path, Language::Rust, source);
    let text = plain(source);
    let survey = scan::survey(&text);
    for &span in &survey.ignores {
        let line = b.file().line(span.start);
        let start = b.file().line_starts[line.saturating_sub(1) as usize];
        if let Some(ignore) = ignores::ignore(&text, span, line, start) {
            b.file_mut().ignores.push(ignore);
        }
    }
    let fits = survey.cost <= MOST;
    let stack = survey.cost.min(MOST).max(if text.contains("macro_rules!") { MACROS } else { 0 });
    if stack <= HERE {
        return lower_here(b, text, fits, HERE);
    }
    on_big_stack(b, text, fits, stack)
}

/// Lowers on a thread that has the stack for it.
fn on_big_stack(b: Builder, text: Cow<'_, str>, fits: bool, stack: usize) -> File {
    let fallback = b.file().clone();
    let lowered = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(stack + SPARE);
        thread.spawn_scoped(scope, move || lower_here(b, text, fits, stack)).ok()?.join().ok()
    });
    lowered.unwrap_or_else(|| {
        let mut file = fallback;
        let message = "nested too deeply to be read; the file is left out".to_string();
        file.problems.push(crate::ir::Problem { message, span: Span::default() });
        file
    })
}

/// Parses and lowers on a stack of at least `stack` bytes.
fn lower_here(mut b: Builder, mut text: Cow<'_, str>, fits: bool, stack: usize) -> File {
    let mut parsed = if fits { syn::parse_str::<syn::File>(&text).ok() } else { None };
    if parsed.is_none() {
        let recovered = recover::recover(&text, stack);
        for (message, span) in recovered.lost {
            b.problem(message, span);
        }
        text = Cow::Owned(recovered.text);
        parsed = match syn::parse_str(&text) {
            Ok(file) => Some(file),
            Err(e) => {
                let end = text.len();
                b.problem(format!("this file could not be read: {e}"), Span::new(0, end));
                None
            }
        };
    }
    let mut lowerer = Lowerer::new(b, &text, stack);
    if let Some(file) = parsed {
        lowerer.scopes.push(FrameKind::Module, MODULE);
        lowerer.define_macros(&file.items);
        let mut stmts = Vec::new();
        lowerer.module_items(&file.items, &mut stmts);
        lowerer.set_body(MODULE, stmts);
        lowerer.scopes.pop();
    }
    let Lowerer { b, macros, .. } = lowerer;
    drop(macros);
    // The parser keeps every text of a thread alive until told that no token of it is left.
    proc_macro2::extra::invalidate_current_thread_spans();
    b.finish()
}

/// The source without byte order mark and `#!` line, byte for byte in place.
fn plain(source: &str) -> Cow<'_, str> {
    let bom = if source.starts_with('\u{feff}') { 3 } else { 0 };
    let rest = &source[bom..];
    let shebang = if rest.starts_with("#!") && !rest[2..].trim_start().starts_with('[') {
        rest.find('\n').unwrap_or(rest.len())
    } else {
        0
    };
    if bom + shebang == 0 {
        return Cow::Borrowed(source);
    }
    Cow::Owned(" ".repeat(bom + shebang) + &source[bom + shebang..])
}
