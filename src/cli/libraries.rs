//! `squall libraries`, and what `squall explain` says of a library: the catalogue, for people.

use super::OK;
use super::args::Common;
use super::check;
use super::errors::Failure;
use super::streams::Streams;
use crate::catalogue::Catalogue;
use crate::catalogue::schema::Library;
use crate::discover::Scope;
use crate::escape;
use crate::output::layout::{WIDTH, wrap};

/// Import roots named in the list; a library's own page has all.
const IMPORTS: usize = 4;

/// Our catalogue with the files that the configuration around the working directory names.
pub(super) fn catalogue(common: &Common) -> Result<Catalogue, Failure> {
    let config = check::load(&Scope::of(&[])?.root, common)?;
    Catalogue::with_user_rules(&config.rules).map_err(|error| Failure::Usage(escape::line(&error).into_owned()))
}

pub(super) fn list(common: &Common, streams: &Streams) -> Result<u8, Failure> {
    let catalogue = catalogue(common)?;
    let libraries = catalogue.libraries();
    let widest = |cell: fn(&Library) -> &str| libraries.iter().map(|l| cell(l).len()).max().unwrap_or(0);
    let (name, version) = (widest(|l| &l.name), widest(|l| &l.version));
    let row = |l: &&Library| {
        let mut imports = l.imports.iter().take(IMPORTS).cloned().collect::<Vec<_>>().join(", ");
        if l.imports.len() > IMPORTS {
            imports += ", …";
        }
        let row = format!("{:<name$}  {:<version$}  {:<9}  {imports}", l.name, l.version, l.area);
        escape::line(row.trim_end()).into_owned() + "\n"
    };
    streams.print(&libraries.iter().map(row).collect::<String>())?;
    Ok(OK)
}

/// The page of a library.
pub(super) fn page(library: &Library) -> String {
    let mut lines = vec![format!("{} ({})", library.name, library.area), String::new()];
    let mut fact = |what: &str, text: &str| {
        if !text.is_empty() {
            lines.push(format!("{what:<12}{text}"));
        }
    };
    fact("package", &library.package);
    let imports = wrap(&library.imports.join(", "), WIDTH - 12);
    fact("imports", &imports.join(&format!("\n{}", " ".repeat(12))));
    fact("figures of", &library.version);
    fact("seen in", &library.source);
    lines.push(String::new());
    if library.infrastructure {
        lines.push("Calls to it are the program's own infrastructure: chains only with include-infrastructure.".into());
    }
    if library.sends_retry_after {
        lines.push("The service answers 429, 503 and 529 with Retry-After.".into());
    }
    if library.spend_limit_429 {
        lines.push("A spent quota is a 429 without Retry-After: it fails until the quota is renewed.".into());
    }
    lines.extend(wrap(&library.notes, WIDTH));
    let text: Vec<String> = lines.iter().flat_map(|l| l.lines()).map(|l| escape::line(l).into_owned()).collect();
    text.join("\n").trim_end().to_string() + "\n"
}
