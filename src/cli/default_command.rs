//! `squall PATH` is `squall check PATH`: the word is put in before clap sees the arguments, so that `check`'s
//! options exist in one place.

use std::ffi::OsString;

const COMMANDS: [&str; 10] =
    ["check", "report", "graph", "trace", "explain", "rules", "libraries", "init", "completions", "help"];
/// Options that may stand before the command, with a value and without.
const WITH_VALUE: [&str; 3] = ["--config", "--jobs", "--color"];
const FLAGS: [&str; 6] = ["--no-config", "--quiet", "-q", "--exhaustive", "--no-cache", "--timings"];
/// Options that are about the program, not about a command.
const OWN: [&str; 4] = ["--help", "-h", "--version", "-V"];

/// The arguments with `check` in front if they name no command.
pub(super) fn insert(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let mut at = 1;
    let word = |at: usize| arguments.get(at).map(|a| a.to_string_lossy().into_owned());
    while let Some(argument) = word(at) {
        let assigned = WITH_VALUE.iter().any(|o| argument.strip_prefix(o).is_some_and(|rest| rest.starts_with('=')));
        match argument.as_str() {
            a if WITH_VALUE.contains(&a) => at += 2,
            a if FLAGS.contains(&a) || assigned => at += 1,
            a if COMMANDS.contains(&a) || OWN.contains(&a) => return arguments,
            _ => break,
        }
    }
    arguments.insert(arguments.len().min(1), OsString::from("check"));
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_is_the_default() {
        let check = |line: &str| {
            let words = insert(line.split(' ').map(OsString::from).collect());
            words.join(std::ffi::OsStr::new(" ")).into_string().unwrap()
        };
        assert_eq!(check("squall"), "squall check");
        assert_eq!(check("squall src"), "squall check src");
        assert_eq!(check("squall --format json src"), "squall check --format json src");
        assert_eq!(check("squall --color=never -q src"), "squall check --color=never -q src");
        for line in [
            "squall check src",
            "squall --color never rules",
            "squall --jobs=2 graph .",
            "squall --version",
            "squall help",
        ] {
            assert_eq!(check(line), line);
        }
    }

    #[test]
    fn knows_every_command() {
        use clap::CommandFactory;
        let cli = crate::cli::args::Cli::command();
        for command in cli.get_subcommands() {
            assert!(COMMANDS.contains(&command.get_name()), "{}", command.get_name());
        }
        for option in cli.get_arguments().filter_map(|a| Some((a.get_long()?, a.get_action().takes_values()))) {
            let name = format!("--{}", option.0);
            let known = if option.1 { WITH_VALUE.contains(&&*name) } else { FLAGS.contains(&&*name) };
            assert!(known || OWN.contains(&&*name), "{name}");
        }
    }
}
