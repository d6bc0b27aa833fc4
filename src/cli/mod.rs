//! The command line: arguments in, one run, an exit status out. Findings go to standard output,
//! everything else to standard error.

mod args;
mod check;
mod default_command;
mod errors;
mod graph;
mod init;
mod libraries;
mod library_page;
mod lists;
mod streams;
mod trace;

use args::{Cli, Command, Common};
use clap::{CommandFactory, Parser};
use errors::Failure;
use std::ffi::OsString;
use std::process::ExitCode;
use streams::Streams;

/// Nothing at or above `--fail-on`.
const OK: u8 = 0;
/// Findings.
const FINDINGS: u8 = 1;
/// Wrong usage, wrong configuration, an internal error.
const WRONG: u8 = 2;
/// No file of a known language.
const EMPTY: u8 = 3;

/// Runs the program on its arguments (the first is its own name).
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    // A panic is a bug of ours: the caller learns so by the status, the hook has printed where.
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let status = std::panic::catch_unwind(|| start(arguments)).unwrap_or_else(|_| {
        Streams::bare().error("internal error: this is a bug in squall, please report it with the message above");
        WRONG
    });
    ExitCode::from(status)
}

fn start(arguments: Vec<OsString>) -> u8 {
    let cli = match Cli::try_parse_from(default_command::insert(arguments)) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come as errors of status 0.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(WRONG);
        }
    };
    let streams = Streams::new(&cli.common);
    let result = in_pool(&cli.common, || command(&cli, &streams));
    result.unwrap_or_else(|failure| {
        streams.error(&failure.to_string());
        failure.status()
    })
}

fn command(cli: &Cli, streams: &Streams) -> Result<u8, Failure> {
    let common = &cli.common;
    match &cli.command {
        Command::Check(args) => check::run(args, common, streams),
        Command::Graph(args) => graph::run(args, common, streams),
        Command::Rules => lists::rules(streams),
        Command::Libraries(args) => libraries::list(args, common, streams),
        Command::Explain { name } => lists::explain(name, common, streams),
        Command::Init { path } => init::run(path, streams),
        Command::Completions { shell } => completions(*shell, streams),
        Command::Report(_) => Err(Failure::NotBuilt("squall report")),
        Command::Trace(args) => trace::run(args, common, streams),
    }
}

fn completions(shell: clap_complete::Shell, streams: &Streams) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "squall", &mut script);
    streams.print(&String::from_utf8_lossy(&script))?;
    Ok(OK)
}

/// Runs a command on as many threads as asked for.
fn in_pool(common: &Common, run: impl FnOnce() -> Result<u8, Failure> + Send) -> Result<u8, Failure> {
    // Guards against deep nesting are sized for 2 MiB of stack; the rest is margin, and costs address space only.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(common.jobs.unwrap_or(0)).stack_size(16 << 20).build();
    pool.map_err(|error| Failure::Usage(format!("cannot start {} threads: {error}", common.jobs.unwrap_or(0))))?
        .install(run)
}
