#[derive(Debug, Clone, PartialEq)]
enum Token { Num(i64), Op { symbol: char, prec: u8 }, Eof }

fn describe(t: &Token, rest: &[u8]) -> &'static str {
    match (t, rest) {
        (Token::Num(n @ 1..=9), _) if *n % 2 == 0 => "small even",
        (Token::Num(i64::MIN..0), [first, .., last]) if first == last => "negative",
        (Token::Op { symbol: '+' | '-', .. }, [_, tail @ ..]) => { if tail.is_empty() { "a" } else { "b" } }
        (Token::Op { prec, .. }, []) if *prec > 3 => "strong",
        (Token::Eof, &[] | &[_]) => "end",
        _ => unreachable!("other {:?}", t),
    }
}
