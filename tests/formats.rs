//! Every format, on the report worker's storm made by hand.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod support;

use insta::assert_snapshot;
use squall::output::paint::Paint;
use squall::output::{Format, render, summary};

#[test]
fn human() {
    let report = support::report();
    let text = render(&report, Format::Human, Paint::Plain);
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert_snapshot!(text + &summary::closing(&report));
}

#[test]
fn colours_change_nothing_else() {
    let report = support::report();
    let painted = render(&report, Format::Human, Paint::Colour);
    let mut plain = String::new();
    for (at, part) in painted.split('\x1b').enumerate() {
        plain += if at == 0 { part } else { part.split_once('m').unwrap().1 };
    }
    assert_eq!(plain, render(&report, Format::Human, Paint::Plain));
}

#[test]
fn concise() {
    assert_snapshot!(render(&support::report(), Format::Concise, Paint::Plain));
}

#[test]
fn json() {
    let text = render(&support::report(), Format::Json, Paint::Plain);
    assert_snapshot!(text.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

/// The report that the schema describes is the report that is printed.
#[test]
fn json_keeps_its_schema() {
    let schema = include_str!("../schema/report-1.json");
    let schema = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    let mut report = support::report();
    let check = |report: &squall::Report| {
        let value = serde_json::from_str(&render(report, Format::Json, Paint::Plain)).unwrap();
        let errors: Vec<String> = schema.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path)).collect();
        assert!(errors.is_empty(), "{errors:#?}");
        value
    };
    let value: serde_json::Value = check(&report);
    assert_eq!(value["chains"][0]["layers"][1]["wait"]["shortest"], 6.0);
    assert_eq!(value["chains"][0]["attempts"]["by_failure"]["permanent"], 12);
    // No numbers anywhere.
    use squall::chains::*;
    let chain = &mut report.analysis.chains[0];
    (chain.worst, chain.peak, chain.shortest, chain.longest) = (Count::Unbounded, None, None, Some(f64::INFINITY));
    chain.by_failure = [Count::Unbounded; 9];
    chain.layers[0].attempts = Count::Unbounded;
    chain.layers[1].attempts = Count::Unknown(1);
    chain.layers[1].reason = Some("set by the caller".into());
    chain.layers[2].attempts = Count::Time(None);
    chain.layers[2].waits.kind = WaitKind::Unknown;
    let value = check(&report);
    assert_eq!(value["summary"]["unbounded"], true);
    assert_eq!(value["chains"][0]["layers"][1]["bound"], "unknown");
    // Nothing at all.
    check(&squall::Report::default());
}

/// A hostile tree must not reach the terminal, nor make JSON that shows something else than it says.
#[test]
fn hostile_names_are_shown_harmless() {
    let mut report = support::report();
    let evil = "\x1b[2J\r\n::error::\u{202e}x\u{9b}";
    for file in &mut report.sources.files {
        file.path = format!("{evil}{}", file.path);
        file.text = file.text.replace("messages", evil).into();
    }
    for finding in &mut report.findings {
        finding.message += evil;
        finding.help += evil;
        finding.related.iter_mut().for_each(|r| r.message += evil);
    }
    let chain = &mut report.analysis.chains[0];
    chain.call.target += evil;
    chain.entries[0].function += evil;
    for layer in &mut chain.layers {
        layer.text += evil;
        layer.setting = Some(evil.into());
        layer.library = Some(evil.into());
        layer.reason = Some(evil.into());
    }
    for format in Format::ALL {
        let text = render(&report, format, Paint::Plain);
        let bad = text.chars().find(|&c| (c.is_control() && c != '\n') || c == '\u{202e}');
        assert_eq!(bad, None, "{format:?}");
        assert!(format == Format::Human || !text.lines().any(|line| line.starts_with("::error::")), "{format:?}");
    }
}

#[test]
fn formats_for_services() {
    for format in [Format::Sarif, Format::Github, Format::Gitlab, Format::Junit, Format::Markdown] {
        let text = render(&support::report(), format, Paint::Plain);
        let name = format!("{format:?}").to_lowercase();
        assert_snapshot!(name, text.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    }
}

#[test]
fn an_empty_report_is_a_report() {
    for format in Format::ALL {
        let text = render(&squall::Report::default(), format, Paint::Plain);
        let silent = matches!(format, Format::Human | Format::Concise | Format::Github);
        assert_eq!(text.is_empty(), silent, "{format:?}: {text}");
    }
}
