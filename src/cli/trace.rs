//! `squall trace FILE:LINE`: what retries this?

use super::OK;
use super::args::{Common, Trace, TraceFormat};
use super::check;
use super::errors::Failure;
use super::streams::Streams;
use crate::discover::{self, Scope};
use crate::escape;
use crate::output::trace::{self, Line};
use crate::source::FileId;
use std::path::PathBuf;

pub(super) fn run(args: &Trace, common: &Common, streams: &Streams) -> Result<u8, Failure> {
    let (path, line) = place(&args.place)?;
    let scope = Scope::of(std::slice::from_ref(&path))?;
    let asked = escape::line(&args.place).into_owned();
    if path.is_dir() {
        return Err(Failure::Usage(format!("{asked}: a folder has no lines")));
    }
    let config = check::load(&scope.root, common)?;
    let project = discover::read(&scope, &config);
    let mut files = (0..project.sources.files.len()).map(|i| FileId(i as u32));
    let Some(file) = files.find(|&id| project.in_focus(id)) else {
        return Err(Failure::Usage(format!("{asked}: this file is not analysed (no known language, or left out)")));
    };
    let lines = project.sources.file(file).text.lines().count();
    if line as usize > lines {
        return Err(Failure::Usage(format!("{asked}: the file has {lines} lines")));
    }
    let catalogue = crate::catalogue::Catalogue::with_user_rules(&config.rules)
        .map_err(|error| Failure::Usage(escape::line(&error).into_owned()))?;
    let report = crate::analyse(&project, &config, &catalogue);
    let at = Line { file, line };
    let text = match args.format {
        TraceFormat::Human => trace::human(&report, at, streams.paint(args.output.as_deref(), common)),
        TraceFormat::Json => trace::json(&report, at),
    };
    streams.deliver(&text, args.output.as_deref())?;
    Ok(OK)
}

/// `FILE:LINE`; a column behind it (as editors and compilers print it) is passed over.
fn place(text: &str) -> Result<(PathBuf, u32), Failure> {
    let split = |text: &str| {
        let (file, number) = text.rsplit_once(':')?;
        let number: u32 = number.parse().ok().filter(|n| *n > 0)?;
        (!file.is_empty()).then(|| (file.to_string(), number))
    };
    let found = split(text).map(|(file, number)| split(&file).unwrap_or((file, number)));
    let wrong = || Failure::Usage(format!("{}: not of the form FILE:LINE", escape::line(text)));
    found.map(|(file, line)| (PathBuf::from(file), line)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::place;
    use std::path::PathBuf;

    #[test]
    fn places_are_read() {
        let read = |text: &str| place(text).ok();
        assert_eq!(read("a/b.py:12"), Some((PathBuf::from("a/b.py"), 12)));
        assert_eq!(read("a/b.py:12:5"), Some((PathBuf::from("a/b.py"), 12)));
        assert_eq!(read("C:/a.py:3"), Some((PathBuf::from("C:/a.py"), 3)));
        for wrong in ["a.py", "a.py:", "a.py:x", "a.py:0", ":3", "3"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
