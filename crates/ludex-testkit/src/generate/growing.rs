//! Rulesheets whose terms double, triple or nest: small in memory, and long or endless on paper.

use std::fmt::Write;

/// A rulesheet that is made of bytes; it has no errors, whatever they are.
///
/// A chain of relations of up to seventy links holds terms each of which is one, two or three of the one
/// before. The last of them stand in facts, moves, percepts or nowhere, and a fact may go on growing with
/// each step.
pub fn growing(bytes: &[u8]) -> String {
    let byte = |at: usize| bytes.get(at).copied().map_or(0, usize::from);
    let (links, width, depth) = (byte(0) % 71, 1 + byte(1) % 3, 1 + byte(2) % 3);
    let grown = |inner: &str| {
        let one = format!("(f{})", format!(" {inner}").repeat(width));
        (1..depth).fold(one, |term, _| format!("(g {term} {inner})"))
    };
    let mut text =
        String::from("(role w) (goal w 50) (init (at 0)) (d 0 1) (d 1 2) (d 2 3) (d 3 4) (d 4 5)\n");
    text.push_str("(<= terminal (true (at 5))) (<= (next (at ?j)) (true (at ?i)) (d ?i ?j)) (p0 a) (p0 b)\n");
    for link in 0..links {
        let _ = writeln!(text, "(<= (p{} {}) (p{link} ?x))", link + 1, grown("?x"));
    }
    let at = |number: usize| links * (number % 8) / 7;
    let places = byte(3);
    text.push_str("(legal w go)\n");
    if places & 1 != 0 {
        let _ = writeln!(text, "(<= (init (s ?x)) (p{} ?x))", at(byte(4)));
    }
    if places & 2 != 0 {
        let _ = writeln!(text, "(<= (next (t ?x)) (p{} ?x) (true (at 2)))", at(byte(4) >> 3));
    }
    if places & 4 != 0 {
        let _ = writeln!(text, "(<= (legal w (say ?x)) (p{} ?x) (true (at ?n)) (d 0 ?n))", at(byte(5)));
    }
    if places & 8 != 0 {
        let _ = writeln!(text, "(<= (sees w ?x) (p{} ?x) (does w go))", at(byte(5) >> 3));
    }
    if places & 16 != 0 {
        let _ = writeln!(text, "(init (c a)) (<= (next (c {})) (true (c ?x)))", grown("?x"));
    }
    if places & 32 != 0 {
        let _ = writeln!(text, "(<= (next (u {})) (does w (say ?x)))", grown("?x"));
    }
    text
}
