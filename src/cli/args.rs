//! The command line as types. Every option of the contract is accepted from the first version on.

use crate::config::FailOn;
use crate::output::Format;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Finds retry layers, links them through the call graph and multiplies: how many requests does one
/// failing call send?
#[derive(Parser, Debug)]
#[command(name = "squall", version, max_term_width = 100, after_help = AFTER)]
pub struct Cli {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

const AFTER: &str = "\
`squall PATH` is short for `squall check PATH`.

Exit status: 0 no findings at or above --fail-on; 1 findings; 2 wrong usage, wrong configuration or an
internal error; 3 no Python, TypeScript, JavaScript or Rust file found (0 with --allow-empty).";

/// Options of every command.
#[derive(Args, Debug, Clone)]
pub struct Common {
    /// Configuration file, instead of the nearest one upwards from the path
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "no_config")]
    pub config: Option<PathBuf>,
    /// Use no configuration file
    #[arg(long, global = true)]
    pub no_config: bool,
    /// Threads to use (default: one a core)
    #[arg(long, global = true, value_name = "N")]
    pub jobs: Option<usize>,
    /// When to colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
    /// Print findings and errors only
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Parse every file, also those that cannot matter; the findings are the same
    #[arg(long, global = true)]
    pub exhaustive: bool,
    /// Keep nothing from earlier runs
    #[arg(long, global = true)]
    pub no_cache: bool,
    /// Say how long each stage took
    #[arg(long, global = true)]
    pub timings: bool,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Report retry storms in a code base (the default command)
    Check(Check),
    /// Write an audit: totals, every chain, the picture
    Report(ReportArgs),
    /// Print the graph of layers, or the call graph
    Graph(Graph),
    /// Say what retries the call at FILE:LINE
    Trace(Trace),
    /// Explain a check or a library
    Explain {
        /// A check's name or code, or a library
        name: String,
    },
    /// List the checks
    Rules,
    /// List the libraries whose retries are known
    Libraries(Libraries),
    /// Write squall.toml and print snippets for hooks and CI
    Init {
        /// Folder to write it to
        #[arg(default_value = ".")]
        path: PathBuf,
    },
    /// Print a completion script
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Args, Debug)]
pub struct Libraries {
    /// Only those whose name, package, imports or area contain all these words, or whose language is one of them
    #[arg(value_name = "WORD")]
    pub filter: Vec<String>,
    /// How the list is written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: ListFormat,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ListFormat {
    /// A table
    Human,
    /// Everything, for programs
    Json,
}

#[derive(Args, Debug)]
pub struct Check {
    /// Folders to analyse. For files, the project around them is analysed, and findings that involve them are shown
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// How findings are written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,
    /// Write them to a file
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Run only these checks (names, codes, groups such as SQ2, or all)
    #[arg(long, value_name = "CHECK", value_delimiter = ',')]
    pub select: Vec<String>,
    /// Do not run these checks
    #[arg(long, value_name = "CHECK", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// Run pedantic checks too
    #[arg(long)]
    pub pedantic: bool,
    /// Lowest severity that makes the run fail [default: warning]
    #[arg(long, value_name = "SEVERITY", value_parser = PossibleValuesParser::new(FailOn::NAMES))]
    pub fail_on: Option<String>,
    /// Count findings we are less sure of instead of showing them [default: medium]
    #[arg(long, value_name = "CONFIDENCE", value_parser = ["low", "medium", "high"])]
    pub min_confidence: Option<String>,
    /// Attempts allowed in one window [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub budget: Option<u64>,
    /// Report only findings that are not in this file
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the findings to the baseline file
    #[arg(long)]
    pub write_baseline: bool,
    /// Report only findings that involve lines changed since this revision
    #[arg(long, value_name = "REV")]
    pub since: Option<String>,
    /// Succeed where there is no file of a known language
    #[arg(long)]
    pub allow_empty: bool,
    /// Count findings by check, and unresolved calls by reason
    #[arg(long)]
    pub statistics: bool,
}

#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Folder to audit
    #[arg(default_value = ".")]
    pub path: PathBuf,
    /// How it is written
    #[arg(long, default_value = "html", value_parser = ["html", "markdown"])]
    pub format: String,
    /// Write it to a file
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct Graph {
    /// Folder to analyse
    #[arg(default_value = ".")]
    pub path: PathBuf,
    /// How it is written
    #[arg(long, default_value = "mermaid", value_parser = ["mermaid", "dot", "svg", "json"])]
    pub format: String,
    /// The call graph instead of the layers
    #[arg(long)]
    pub calls: bool,
    /// Write it to a file
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct Trace {
    /// A call, or any line that may be on the way to one
    #[arg(value_name = "FILE:LINE")]
    pub place: String,
    /// How the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: TraceFormat,
    /// Write it to a file
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraceFormat {
    /// For people
    Human,
    /// For programs
    Json,
}
