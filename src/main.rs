//! The program: its arguments to the library, its exit status back.

/// Linking makes and drops many small sets: an allocator that is good at that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    squall::cli::run(std::env::args_os())
}
