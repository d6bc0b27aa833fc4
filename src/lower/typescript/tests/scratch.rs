//! x
#[test]
fn scratch() {
    let path = std::env::var("SCRATCH").unwrap();
    let source = std::fs::read_to_string(&path).unwrap();
    let file = crate::lower::typescript::lower(&path, &source);
    eprintln!("{}", super::print::print(&file));
    for p in &file.problems { eprintln!("{} {:?}", p.message, p.span); }
}
