//! Variables that look like a slip of the pen: they occur once, and another variable of the rule is
//! spelt almost the same.

use ludex_logic::Id;

use crate::check::context::Context;
use crate::check::registry::SINGLETON;
use crate::diagnostic::Diagnostic;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let mut counts = Vec::new();
    for (id, clause, item) in context.clauses() {
        if context.broken[id] || clause.is_fact() || clause.variables.len() < 2 {
            continue;
        }
        counts.clear();
        counts.resize(clause.variables.len(), 0);
        clause.head.variables(&mut |v| counts[v.index()] += 1);
        clause.body.variables(&mut |v| counts[v.index()] += 1);
        for (variable, &symbol) in clause.variables.entries() {
            let name = context.program.terms.name(symbol);
            if counts[variable.index()] != 1 || name.len() < 4 {
                continue;
            }
            // `row1` and `row2` differ on purpose.
            let stem = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            let often = clause.variables.entries().filter(|(v, _)| counts[v.index()] > 1);
            let others = often.map(|(_, &s)| context.program.terms.name(s));
            let letters = others.filter(|other| stem(other) == other.len() && other.len() >= 4);
            if stem(name) != name.len() {
                continue;
            }
            let Some(other) = context.nearest(name, letters) else { continue };
            let nodes = std::iter::once(item.head).chain(item.body.iter().flatten().copied());
            let Some(span) = nodes.into_iter().find_map(|n| context.variable_span(n, clause, variable))
            else {
                continue;
            };
            let (name, other) = match context.program.terms.find_symbol(other) {
                Some(other) => (context.variable(symbol), context.variable(other)),
                None => continue,
            };
            found.push(
                SINGLETON
                    .at(span, format!("the variable `{name}` occurs only once in this rule"))
                    .hint(format!("did you mean `{other}`?")),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn a_slip_of_the_pen() {
        let text = r#"
(<= (next (control ?player)) (true (control ?player)) (does ?plyer noop) (row1 ?row1 ?row2))
"#;
        let expected = r#"
note[L054] game:1:61: the variable `?plyer` occurs only once in this rule
 1 | (<= (next (control ?player)) (true (control ?player)) (does ?plyer noop) (row1 ?row1 ?row2))
   |                                                             ^^^^^^
  hint: did you mean `?player`?
"#;
        assert_eq!(drawn(&SINGLETON, text), expected);
    }
}
