//! Parser of formulas: a small Pratt parser. Depth is guarded, errors name the column.

use super::lex::{Token, lex};
use super::words::{arity, is_reserved};
use super::{Formula, Operator};

/// Formulas nested deeper than this are refused: nobody writes them by hand.
const DEEPEST: usize = 60;

/// Binding powers. Comparisons do not chain: `a < b < c` is refused.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARE: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const SIGN: u8 = 7;
const POWER: u8 = 8;

/// Parses the text form of a formula.
///
/// # Errors
/// A message that says what was expected and at which column.
pub fn parse_formula(text: &str) -> Result<Formula, String> {
    let tokens = lex(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
    let formula = parser.expression(0)?;
    match parser.peek() {
        Token::End => Ok(formula),
        other => Err(parser.expected("an operator or the end", other)),
    }
}

struct Parser<'a> {
    tokens: &'a [(usize, Token)],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        self.tokens.get(self.at).map_or(&Token::End, |t| &t.1)
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn column(&self) -> usize {
        let last = self.tokens.last().map_or(1, |t| t.0);
        self.tokens.get(self.at).map_or(last, |t| t.0)
    }

    fn expected(&self, what: &str, found: &Token) -> String {
        format!("column {}: expected {what}, found {found}", self.column())
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(s) if *s == symbol)
    }

    fn eat(&mut self, symbol: &'static str) -> Result<(), String> {
        if self.is(symbol) {
            self.at += 1;
            return Ok(());
        }
        Err(self.expected(&format!("`{symbol}`"), self.peek()))
    }

    fn expression(&mut self, least: u8) -> Result<Formula, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("column {}: nested too deeply", self.column()));
        }
        let mut left = self.prefix()?;
        while let Some((operator, power)) = self.infix() {
            if power < least {
                break;
            }
            let negated = self.take_infix();
            // `**` binds to the right, all others to the left; `a ** -b` may carry a sign.
            let right = self.expression(if power == POWER { SIGN } else { power + 1 })?;
            left = Formula::Binary(operator, Box::new(left), Box::new(right));
            if negated {
                left = Formula::Not(Box::new(left));
            }
            if power == COMPARE && matches!(self.infix(), Some((_, COMPARE))) {
                return Err(self.expected("`and`, `or` or the end", self.peek()));
            }
        }
        self.depth -= 1;
        Ok(left)
    }

    fn infix(&self) -> Option<(Operator, u8)> {
        let Token::Symbol(symbol) = self.peek() else {
            return None;
        };
        Some(match *symbol {
            "or" => (Operator::Or, OR),
            "and" => (Operator::And, AND),
            "==" => (Operator::Eq, COMPARE),
            "!=" => (Operator::NotEq, COMPARE),
            "<" => (Operator::Lt, COMPARE),
            "<=" => (Operator::LtEq, COMPARE),
            ">" => (Operator::Gt, COMPARE),
            ">=" => (Operator::GtEq, COMPARE),
            "in" => (Operator::In, COMPARE),
            "not" => (Operator::In, COMPARE),
            "+" => (Operator::Add, SUM),
            "-" => (Operator::Sub, SUM),
            "*" => (Operator::Mul, PRODUCT),
            "/" => (Operator::Div, PRODUCT),
            "%" => (Operator::Mod, PRODUCT),
            "**" => (Operator::Pow, POWER),
            _ => return None,
        })
    }

    /// Steps over the operator; true for `not in`.
    fn take_infix(&mut self) -> bool {
        let negated = self.is("not");
        self.at += 1;
        if negated && self.is("in") {
            self.at += 1;
        }
        negated
    }

    fn prefix(&mut self) -> Result<Formula, String> {
        if self.is("not") {
            self.at += 1;
            return Ok(Formula::Not(Box::new(self.expression(NOT)?)));
        }
        if self.is("-") {
            self.at += 1;
            return Ok(match self.expression(SIGN)? {
                Formula::Number(n) => Formula::Number(-n),
                other => Formula::Neg(Box::new(other)),
            });
        }
        let primary = self.primary()?;
        self.postfix(primary)
    }

    fn primary(&mut self) -> Result<Formula, String> {
        let column = self.column();
        Ok(match self.next() {
            Token::Number(n) => Formula::Number(n),
            Token::Text(text) => Formula::Text(text),
            Token::Symbol("true") => Formula::Bool(true),
            Token::Symbol("false") => Formula::Bool(false),
            Token::Symbol("null") => Formula::Null,
            Token::Symbol("inf") => Formula::Number(f64::INFINITY),
            Token::Symbol("(") => {
                let inside = self.expression(0)?;
                self.eat(")")?;
                inside
            }
            Token::Symbol("[") => Formula::List(self.items("]")?),
            Token::Name(name) if self.is("(") => {
                self.at += 1;
                let arguments = self.items(")")?;
                check_call(&name, arguments.len(), column)?;
                Formula::Call(name, arguments)
            }
            Token::Name(name) if is_reserved(&name) => {
                return Err(format!("column {column}: `{name}` is a function: expected `{name}(`"));
            }
            Token::Name(name) => Formula::Name(name),
            other => {
                self.at -= 1;
                return Err(self.expected("a value, a name or `(`", &other));
            }
        })
    }

    fn postfix(&mut self, mut left: Formula) -> Result<Formula, String> {
        loop {
            if self.is(".") {
                self.at += 1;
                match self.next() {
                    Token::Name(name) => left = Formula::Field(Box::new(left), name),
                    // Words of the language are fine as fields: `x.in`.
                    Token::Symbol(word) if word.starts_with(char::is_alphabetic) => {
                        left = Formula::Field(Box::new(left), word.to_string());
                    }
                    other => {
                        self.at -= 1;
                        return Err(self.expected("a field's name", &other));
                    }
                }
            } else if self.is("[") {
                self.at += 1;
                let index = self.expression(0)?;
                self.eat("]")?;
                left = Formula::Index(Box::new(left), Box::new(index));
            } else {
                return Ok(left);
            }
        }
    }

    /// Comma-separated expressions up to and with `close`.
    fn items(&mut self, close: &'static str) -> Result<Vec<Formula>, String> {
        let mut items = Vec::new();
        while !self.is(close) {
            items.push(self.expression(0)?);
            if !self.is(",") {
                break;
            }
            self.at += 1;
        }
        self.eat(close)?;
        Ok(items)
    }
}

fn check_call(name: &str, given: usize, column: usize) -> Result<(), String> {
    let Some((least, most)) = arity(name) else {
        return Err(format!("column {column}: there is no function `{name}`"));
    };
    if given < least || given > most {
        let wants = match (least, most) {
            (a, b) if a == b => format!("{a}"),
            (a, usize::MAX) => format!("{a} or more"),
            (a, b) => format!("{a} to {b}"),
        };
        return Err(format!("column {column}: `{name}` takes {wants} arguments, {given} given"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        match parse_formula(text) {
            Ok(f) => render(&f),
            Err(e) => e,
        }
    }

    fn render(f: &Formula) -> String {
        match f {
            Formula::Number(n) => n.to_string(),
            Formula::Text(t) => format!("{t:?}"),
            Formula::Bool(b) => b.to_string(),
            Formula::Null => "null".into(),
            Formula::Name(n) => n.clone(),
            Formula::Field(a, f) => format!("{}.{f}", render(a)),
            Formula::Index(a, i) => format!("{}[{}]", render(a), render(i)),
            Formula::Call(n, a) => format!("{n}({})", list(a)),
            Formula::Binary(o, a, b) => format!("({o:?} {} {})", render(a), render(b)),
            Formula::Not(a) => format!("(not {})", render(a)),
            Formula::Neg(a) => format!("(- {})", render(a)),
            Formula::List(a) => format!("[{}]", list(a)),
        }
    }

    fn list(items: &[Formula]) -> String {
        items.iter().map(render).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn precedence() {
        assert_eq!(show("1 + 2 * n ** 2"), "(Add 1 (Mul 2 (Pow n 2)))");
        assert_eq!(show("a - b - c"), "(Sub (Sub a b) c)");
        assert_eq!(show("2 ** 3 ** 2"), "(Pow 2 (Pow 3 2))");
        assert_eq!(show("-a ** 2"), "(- (Pow a 2))");
        assert_eq!(show("2 ** -1"), "(Pow 2 -1)");
        assert_eq!(show("not a == b or c and d"), "(Or (not (Eq a b)) (And c d))");
        assert_eq!(show("a not in [1, 2]"), "(not (In a [1 2]))");
        assert_eq!(show("(a + b) * c"), "(Mul (Add a b) c)");
        assert_eq!(show("inf"), "inf");
    }

    #[test]
    fn postfix_and_calls() {
        assert_eq!(show("self.retry.max + 1"), "(Add self.retry.max 1)");
        assert_eq!(show("at(default(self.xs, [1, 2]), n)[0]"), "at(default(self.xs [1 2]) n)[0]");
        assert_eq!(show("method in ['GET', \"PUT\"]"), "(In method [\"GET\" \"PUT\"])");
        assert_eq!(show("if(missing(x), 1, x)"), "if(missing(x) 1 x)");
        assert_eq!(show("reraise()"), "reraise()");
    }

    #[test]
    fn errors_say_where_and_what() {
        assert_eq!(show("1 +"), "column 4: expected a value, a name or `(`, found the end");
        assert_eq!(show("min(1"), "column 6: expected `)`, found the end");
        assert_eq!(show("a b"), "column 3: expected an operator or the end, found `b`");
        assert_eq!(show("foo(1)"), "column 1: there is no function `foo`");
        assert_eq!(show("at(1)"), "column 1: `at` takes 2 arguments, 1 given");
        assert_eq!(show("missing"), "column 1: `missing` is a function: expected `missing(`");
        assert_eq!(show("'abc"), "column 1: the text does not end");
        assert_eq!(show("a # b"), "column 3: unexpected `#`");
        assert!(show("a < b < c").starts_with("column 7: expected"));
        assert!(show(&"(".repeat(10_000)).contains("nested too deeply"));
        assert!(show(&"-".repeat(10_000)).contains("nested too deeply"));
        assert!(show(&"not ".repeat(10_000)).contains("nested too deeply"));
        assert!(show(&"1**".repeat(10_000)).contains("nested too deeply"));
    }

    #[test]
    fn numbers() {
        assert_eq!(show("0.5"), "0.5");
        assert_eq!(show("1_000"), "1000");
        assert_eq!(show("1e3"), "1000");
        assert_eq!(show("1.2.3"), "column 1: not a number: `1.2.3`");
    }
}
