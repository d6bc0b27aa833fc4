//! The program: its arguments to the library, its exit status back.

fn main() -> std::process::ExitCode {
    squall::cli::run(std::env::args_os())
}
