//! Sentences of relational logic (book 19.2), read and written.

use std::sync::Arc;

use proptest::prelude::*;

use crate::convert::convert;
use crate::dialect::detect;
use crate::game_program::Dialect;
use crate::parse::{detect_notation, parse, parse_term};
use crate::print::{fmt, print, print_clauses, print_term, same_rules};
use crate::scramble::{scramble, unscramble};
use crate::source::Source;
use crate::tree::{Notation, Rulesheet};

const NOTATIONS: [Notation; 2] = [Notation::Prefix, Notation::Infix];

/// Book 19.5 without its misprints, and with `...` written out.
const BUTTONS_AND_LIGHTS: &str = "\
% Roles and actions
role(robot)
X!=robot => ~role(X)

base(p)
base(q)
base(r)
X!=p & X!=q & X!=r => ~base(X)

percept(robot,q)
X!=robot | Y!=q => ~percept(X,Y)

input(robot,a)
input(robot,b)
input(robot,c)
X!=robot | Y!=a & Y!=b & Y!=c => ~input(X,Y)

step(1)
step(2)
step(3)
step(4)
step(5)
step(6)
step(7)
X!=1 & X!=2 & X!=3 & X!=4 & X!=5 & X!=6 & X!=7 => ~step(X)

successor(1,2)
successor(2,3)
successor(3,4)
successor(4,5)
successor(5,6)
successor(6,7)
(X!=1 | Y!=2) &
  (X!=2 | Y!=3) &
  (X!=3 | Y!=4) &
  (X!=4 | Y!=5) &
  (X!=5 | Y!=6) &
  (X!=6 | Y!=7) =>
    ~successor(X,Y)

~init(X)

true(q) <=> sees(q)
X!=q => ~sees(X)

legal(robot,a)
input(robot,b)
input(robot,c)
X!=robot | Y!=a & Y!=b & Y!=c => ~legal(X,Y)

next(p) <=>
  does(robot,a) & ~true(p) |
  does(robot,b) & true(q) |
  does(robot,c) & true(p)

next(q) <=>
  does(robot,a) & true(q) |
  does(robot,b) & true(p) | % as it was
  does(robot,c) & true(r)

next(r) <=>
  does(robot,a) & true(r) |
  does(robot,b) & true(r) |
  does(robot,c) & true(q)

X!=p & X!=q & X!=r => ~next(X)

goal(robot,100) <=> true(p) & true(q) & true(r)
goal(robot,0) <=> ~true(p) | ~true(q) | ~true(r)
X!=robot | Y!=100 & Y!=0 => ~goal(X,Y)

terminal <=> true(7)
";

fn read(text: &str, notation: Notation) -> Rulesheet {
    let (sheet, errors) = parse(Arc::new(Source::new("test", text)), Some(notation));
    assert_eq!(errors, [], "{text}");
    sheet
}

/// Writes in both notations and under other names, and reads it all back.
fn assert_written(sheet: &Rulesheet) {
    for notation in NOTATIONS {
        let there = convert(sheet, notation);
        let text = there.source.text();
        let again = read(text, notation);
        assert!(same_rules(sheet, &again), "{text}");
        let tidy = fmt(&again);
        assert_eq!(fmt(&read(&tidy, notation)), tidy, "{text}");
        let clauses = print_clauses(&again);
        for (clause, item) in clauses.iter().zip(&again.items) {
            let alone = Rulesheet { items: vec![item.clone()], ..again.clone() };
            assert!(item.body.is_some() || same_rules(&alone, &read(clause, notation)), "{clause}");
        }
        let (scrambled, renaming) = scramble(&again, 3);
        assert_eq!(detect(&scrambled).0, detect(sheet).0, "{text}");
        assert!(same_rules(sheet, &unscramble(&scrambled, &renaming)), "{}", scrambled.source.text());
    }
}

#[test]
fn buttons_and_lights() {
    let incomplete = BUTTONS_AND_LIGHTS.replace("~init(X)\n", "init(p) <=> init(q)\n");
    for text in [BUTTONS_AND_LIGHTS, &incomplete] {
        let sheet = read(text, Notation::Infix);
        assert_eq!(fmt(&sheet), text);
        assert!(detect(&sheet).0.is_incomplete());
        assert_written(&sheet);
        let prefix = convert(&sheet, Notation::Prefix);
        assert_eq!(detect_notation(prefix.source.text()), Notation::Prefix);
        assert_eq!(convert(&prefix, Notation::Infix).source.text(), text.replace('%', ";"));
        let next = "(<=> (next q)\n    (or (and (does robot a) (true q))\n        (and (does robot b) (true p)) ; as it was\n        (and (does robot c) (true r))))\n";
        assert!(prefix.source.text().contains(next), "{}", prefix.source.text());
    }
    // The book's percepts have no role.
    let roles = BUTTONS_AND_LIGHTS.replace("sees(q)", "sees(robot,q)").replace("sees(X)", "sees(robot,X)");
    assert_eq!(detect(&read(&roles, Notation::Infix)).0, Dialect::IgdlII);
}

/// The sentence of an infix text in prefix.
fn in_prefix(text: &str) -> String {
    let (tree, node) = parse_term(text, Some(Notation::Infix)).unwrap();
    print_term(&tree, node, Notation::Infix, Notation::Prefix)
}

#[test]
fn operators_bind_as_the_book_says() {
    for (text, brackets) in [
        ("~p & q", "(~p) & q"),
        ("~p | q", "(~p) | q"),
        ("~p => q", "(~p) => q"),
        ("~X=Y", "~(X=Y)"),
        ("p & q | r", "(p & q) | r"),
        ("p | q & r", "p | (q & r)"),
        ("p(a) | q(a,a) => r(a)", "(p(a) | q(a,a)) => r(a)"),
        ("p => q | r", "p => (q | r)"),
        ("p & q <=> r & s", "(p & q) <=> (r & s)"),
        ("p => q => r", "p => (q => r)"),
        ("p => q <=> r", "p => (q <=> r)"),
        ("p <=> q => r", "p <=> (q => r)"),
        ("p <=> q <=> r", "p <=> (q <=> r)"),
        ("p & q => r | s => t", "(p & q) => ((r | s) => t)"),
        ("AX:p(X) & q", "(AX:p(X)) & q"),
        ("AX:p(X) => q(X)", "(AX:p(X)) => q(X)"),
        ("q | EX:p(X) | r", "q | (EX:p(X)) | r"),
        ("AX:EY:q(X,Y)", "AX:(EY:q(X,Y))"),
        ("~AX:~p(X)", "~(AX:(~p(X)))"),
        ("AX:X!=a", "AX:(X!=a)"),
        ("X!=robot | Y!=a & Y!=b => ~input(X,Y)", "((X!=robot) | ((Y!=a) & (Y!=b))) => (~input(X,Y))"),
    ] {
        assert_eq!(in_prefix(text), in_prefix(brackets), "{text}");
        let sheet = read(brackets, Notation::Infix);
        assert_eq!(print_clauses(&sheet), [text]);
        assert_written(&sheet);
    }
    // Where brackets are needed they stay.
    for text in [
        "(p => q) => r",
        "(p <=> q) => r",
        "(p | q) & r",
        "p & (q & r)",
        "~(p & q)",
        "AX:(p(X) => q(X))",
        "(X=Y)=z",
    ] {
        assert_eq!(print_clauses(&read(text, Notation::Infix)), [text]);
        assert_written(&read(text, Notation::Infix));
    }
    assert_eq!(in_prefix("AX:EY:q(X,Y)"), "(forall (?x) (exists (?y) (q ?x ?y)))");
    assert_eq!(in_prefix("p => q <=> r"), "(=> p (<=> q r))");
}

#[test]
fn prefix_has_the_same_sentences() {
    for (prefix, infix) in [
        ("(forall ?x (p ?x))", "AX:p(X)"),
        ("(forall (?x ?y) (p ?x ?y))", "AX:AY:p(X,Y)"),
        ("(exists (?x) (forall (?y ?z) (=> p (q ?x ?y ?z))))", "EX:AY:AZ:(p => q(X,Y,Z))"),
        ("(FORALL (?X) (NOT (P ?X)))", "AX:~p(X)"),
        ("(not (exists (?x) (and (p ?x) (exists ?y p))))", "~EX:(p(X) & EY:p)"),
        ("(=> p q r s)", "p & q & r => s"),
        ("(=> (and p q) r)", "p & q => r"),
        ("(<=> p (= ?x a))", "p <=> X=a"),
        ("(or (/= ?x a) (distinct b ?y))", "X!=a | b!=Y"),
        ("(<= (p ?x) (exists (?y) (q ?x ?y)) r)", "p(X) :- EY:q(X,Y) & r"),
        ("(<= p (=> q r))", "p :- q => r"),
        ("(exists (?x) ?y)", "EX:Y"),
        ("(forall (?x) -1)", "AX: -1"),
        // These are names.
        ("(exists ?x)", "exists(X)"),
        ("(exists a p)", "exists(a,p)"),
        ("(forall ?x ?y)", "forall(X,Y)"),
        ("(forall ?x p q)", "forall(X,p,q)"),
        ("(|forall| ?x p)", "forall(X,p)"),
        ("(p (exists ?x q))", "p(exists(X,q))"),
        ("(<= (exists ?x q) (p ?x))", "exists(X,q) :- p(X)"),
        ("(/= a b c)", "'/='(a,b,c)"),
        ("(|/=| a b)", "'/='(a,b)"),
        ("(|=>| a b c)", "'=>'(a,b,c)"),
        ("(p (=> a b c) (/= a b))", "p('=>'(a,b,c),'/='(a,b))"),
        ("(|A:| a b)", "'A:'(a,b)"),
        ("(p (|A:| ?x b))", "p(AX:b)"),
    ] {
        let sheet = read(prefix, Notation::Prefix);
        assert!(same_rules(&sheet, &read(infix, Notation::Infix)), "{prefix}");
        assert_eq!(print(&sheet, Notation::Infix), format!("{infix}\n"));
        assert_written(&sheet);
    }
    for text in ["(FORALL (?X ?y) (= ?X ?y))", "(or (/= a b) c)", "(|=>| a b c)"] {
        assert_eq!(fmt(&read(text, Notation::Prefix)), text);
    }
}

#[test]
fn long_sentences_are_broken() {
    let a = "a(ninety,percent,of,all,objects)";
    let long = |parts: &[&str]| parts.concat().replace("AAA", a);
    for text in [
        long(&["AX:EY:(AAA & p(X) =>\n", "  AAA |\n", "  AAA(Y) & p(X))"]).replace(")(Y)", ",Y)"),
        long(&["~(AAA |\n", "  AAA |\n", "  ~p(another,argument))"]),
        long(&["AAA &\n", "  AAA &\n", "  (p(another,argument) | q)"]),
        long(&["p =>\n", "  ~(AAA & AAA & p(another))"]),
        long(&["p =>\n", "  q(another) => AAA => AAA"]),
        long(&["AAA =>\n", "  (AAA => p) &\n", "  q(another)"]),
    ] {
        let sheet = read(&text, Notation::Infix);
        assert_eq!(fmt(&sheet), text);
        assert_written(&sheet);
    }
    let quantified = "(forall (?x) (=> (exists (?y) (or (a ninety percent of all ?x)\n                                  (b ninety percent of all ?y)\n                                  c))\n    (p ?x)))";
    assert_eq!(fmt(&read(quantified, Notation::Prefix)), quantified);
    let fact = format!("(p {})", "(f a b c d e f g h i) ".repeat(9).trim_end());
    assert_eq!(fmt(&read(&fact, Notation::Prefix)), fact);
}

#[test]
fn sentences_on_lines_of_their_own_stay_apart() {
    let text = "p => q\n(r | s) & t\n~u\nAX:v(X)\nX=Y\n(a => b) => c\ntrue(p) <=> q\ndistinct => p\n";
    let sheet = read(text, Notation::Infix);
    assert_eq!(sheet.items.len(), 8);
    assert_eq!(fmt(&sheet), text);
    assert_written(&sheet);
    // Only behind a rule some of them need a full stop before them.
    for sentence in
        ["~u", "(r | s) & t", "AX:v(X)", "true(p) <=> q", "does(a,b) => p", "p => q", "X=Y", "X!=Y => p"]
    {
        let sheet = read(&format!("h(X) :- b(X).\n{sentence}.\nh(a) :- b(X).\n"), Notation::Infix);
        assert_eq!(sheet.items.len(), 3);
        let tidy = fmt(&sheet);
        assert_eq!(tidy.contains("."), !sentence.starts_with(['p', 'X']), "{tidy}");
        assert!(
            tidy.starts_with("h(X) :- b(X)") && same_rules(&sheet, &read(&tidy, Notation::Infix)),
            "{tidy}"
        );
        assert_written(&sheet);
    }
}

#[test]
fn comments_in_sentences_are_kept() {
    let text = "p % one\n  <=> % two\n q | % three\n\n r % four\n% five\n";
    let sheet = read(text, Notation::Infix);
    assert_eq!(fmt(&sheet), "p <=> % one\n  % two\n  q | % three\n  r % four\n% five\n");
    assert_written(&sheet);
    let text = "(=> ; one\n p\n ; two\n (and q r) ; three\n)\n";
    let sheet = read(text, Notation::Prefix);
    assert_eq!(fmt(&sheet), "(=> p ; one\n    ; two\n    (and q r)) ; three\n");
    assert_written(&sheet);
}

#[test]
fn deep_sentences_are_read_and_written() {
    let n = 100_000;
    let quantifiers = format!("{}p(X){}", "AX:EX:(".repeat(n), ")".repeat(n));
    let arrows = format!("{}p{}", "(".repeat(n), " => q)".repeat(n));
    for text in [&format!("{}p", "~".repeat(n)), &format!("{}p(X)", "AX:".repeat(n)), &quantifiers, &arrows] {
        let sheet = read(text, Notation::Infix);
        assert_eq!(detect(&sheet).0, Dialect::Igdl);
        let prefix = convert(&sheet, Notation::Prefix);
        assert!(same_rules(&sheet, &prefix) && same_rules(&sheet, &convert(&prefix, Notation::Infix)));
        assert!(same_rules(&sheet, &read(&fmt(&prefix), Notation::Prefix)));
    }
    let many = format!(
        "(forall ({}) {}{})",
        "?x ".repeat(n),
        "(exists ?x ".repeat(n),
        ")".repeat(n).replacen(")", "p)", 1)
    );
    let sheet = read(&many, Notation::Prefix);
    assert!(same_rules(&sheet, &convert(&sheet, Notation::Infix)));
    let wide = format!("(forall ({}) (or {}))", "?x ".repeat(n), "(and p q) ".repeat(n));
    let sheet = read(&wide, Notation::Prefix);
    assert!(fmt(&sheet).len() < 20 * wide.len());
}

#[test]
fn broken_quantifiers_are_answered() {
    let errors = |text: &str, notation| -> Vec<(String, String)> {
        let (sheet, errors) = parse(Arc::new(Source::new("test", text)), Some(notation));
        let _ = (fmt(&sheet), detect(&sheet));
        errors.into_iter().map(|e| (text[e.span.range()].to_owned(), e.message)).collect()
    };
    let no_name = "a variable cannot be the name of a relation or function";
    let scopes = "a quantifier needs one sentence behind its variables, and here are";
    for (text, place, message) in [
        ("(forall () (p ?x))", "()", "an empty list means nothing"),
        ("(forall (?x))", "forall", &format!("{scopes} none")),
        ("(not (Exists (?x ?y) p q))", "Exists", &format!("{scopes} several")),
        ("(forall (?x a) (p ?x))", "?x", no_name),
        ("(forall (?x (f ?x)) (p ?x))", "?x", no_name),
        ("(forall p (?x ?y))", "?x", no_name),
        ("(forall (?x) (?y ?z))", "?y", no_name),
        ("(p (forall (?x) q))", "?x", no_name),
        ("(<= (forall (?x) q) p)", "?x", no_name),
        ("(|forall| (?x) q)", "?x", no_name),
        ("(?x ?y)", "?x", no_name),
        ("(<= (?x ?y) p)", "?x", no_name),
    ] {
        assert_eq!(errors(text, Notation::Prefix), [(place.to_owned(), message.to_owned())], "{text}");
    }
    for (text, place, message) in [
        ("AX:", "", "something is missing after `AX:`"),
        ("p & EX: => q", "=>", "there is nothing to the left of `=>`"),
        ("Ax:p(x)", "x", "a quantifier binds a variable, and this is a constant"),
        ("∀x p(x)", "x", "a quantifier binds a variable, and this is a constant"),
        ("∃: p", "∃:", "a quantifier without a variable"),
    ] {
        let found = errors(text, Notation::Infix);
        assert_eq!(found.first(), Some(&(place.to_owned(), message.to_owned())), "{text}: {found:?}");
    }
    assert_eq!(read("∀X: p(X) & ∃Y q(Y)", Notation::Infix).items.len(), 1);
}

/// A formula in prefix and, with all brackets, in infix.
type Written = (String, String);

fn atoms() -> impl Strategy<Value = Written> {
    let atoms = [
        ("p", "p"),
        ("-1", "-1"),
        ("(q ?x)", "q(X)"),
        ("(|A b| ?y c)", "'A b'(Y,c)"),
        ("(true (f ?x 1))", "true(f(X,1))"),
        ("(does robot ?y)", "does(robot,Y)"),
        ("(= ?x a)", "X=a"),
        ("(/= ?x (f ?y))", "X≠f(Y)"),
        ("(distinct a b c)", "distinct(a,b,c)"),
        ("(|forall| ?x p)", "forall(X,p)"),
        ("(exists a (|A:| ?x p))", "exists(a,AX:p)"),
        ("(|/=| a b)", "'/='(a,b)"),
        ("(|=>| a b c)", "'=>'(a,b,c)"),
        ("(r (and a (exists ?x b)))", "r(a & exists(X,b))"),
        ("(a relation with so many arguments)", "a(relation,with,so,many,arguments)"),
    ];
    prop::sample::select(atoms.to_vec()).prop_map(|(prefix, infix)| (prefix.to_owned(), infix.to_owned()))
}

fn formulas() -> impl Strategy<Value = Written> {
    atoms().prop_recursive(5, 40, 4, |inner| {
        let binary = prop::sample::select(vec!["=>", "<=>"]);
        let chain = prop::sample::select(vec![("and", " & "), ("or", " | ")]);
        let quantifier = prop::sample::select(vec![("forall", 'A'), ("exists", 'E')]);
        let variable = prop::sample::select(vec!["x", "y", "z"]);
        prop_oneof![
            inner.clone().prop_map(|(p, i)| (format!("(not {p})"), format!("(~{i})"))),
            (binary, inner.clone(), inner.clone()).prop_map(|(sign, a, b)| (
                format!("({sign} {} {})", a.0, b.0),
                format!("({} {sign} {})", a.1, b.1)
            )),
            (chain, prop::collection::vec(inner.clone(), 2..4)).prop_map(|((name, sign), parts)| {
                let (prefix, infix): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
                (format!("({name} {})", prefix.join(" ")), format!("({})", infix.join(sign)))
            }),
            (quantifier, variable, inner).prop_map(|((word, letter), name, (p, i))| {
                let upper = name.to_uppercase();
                (format!("({word} (?{name}) {p})"), format!("({letter}{upper}: {i})"))
            }),
        ]
    })
}

/// A sentence, or a rule with formulas as subgoals.
fn items() -> impl Strategy<Value = Written> {
    let rule = prop::collection::vec(formulas(), 1..3).prop_map(|body| {
        let (prefix, infix): (Vec<_>, Vec<_>) = body.into_iter().unzip();
        (format!("(<= (h ?x) {})", prefix.join(" ")), format!("h(X) :- ({})", infix.join(") & (")))
    });
    prop_oneof![3 => formulas(), 1 => rule]
}

proptest! {
    #[test]
    fn sentences_go_there_and_back(items in prop::collection::vec(items(), 1..5), comments: bool) {
        let (prefix, infix): (Vec<_>, Vec<_>) = items.into_iter().unzip();
        let (mut prefix, mut infix) = (prefix.join("\n"), infix.join(".\n") + ".");
        if comments {
            prefix = prefix.replace(") (", ") ; why\n (");
            infix = infix.replace(" & ", " & % why\n ").replace("| (", "| % why\n % not\n (");
        }
        let sheets = [read(&prefix, Notation::Prefix), read(&infix, Notation::Infix)];
        prop_assert!(same_rules(&sheets[0], &sheets[1]), "{}\n{}", prefix, infix);
        prop_assert_eq!(detect_notation(&print(&sheets[0], Notation::Infix)), Notation::Infix);
        for sheet in &sheets {
            assert_written(sheet);
            let tidy = fmt(sheet);
            let again = read(&tidy, sheet.notation);
            prop_assert_eq!(again.comments.len(), sheet.comments.len());
            prop_assert!(same_rules(sheet, &again), "{}", tidy);
            prop_assert_eq!(fmt(&again), tidy);
        }
    }
}
