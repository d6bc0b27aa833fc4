//! The Python front end.
use squall::ir::Language;

#[test]
fn smoke() {
    let src = "import a.b\nfrom .x import y as z\n@retry(stop=3)\nasync def f(self, a=1, *args, k: int = 2, **kw) -> 'Foo[int]':\n    x = a + 1\n    return await z(x, k=k)\nclass C(Base, metaclass=M):\n    n: int = 3\n    def m(self): return super().m()\n";
    let file = squall::lower::lower("a.py", Language::Python, src);
    println!("{}", squall::ir::dump(&file));
    assert!(file.problems.is_empty());
}
