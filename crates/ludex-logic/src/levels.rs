//! Levels of relations (appendix A.2) and open programs (book 2.2, appendix A.3).

use crate::budget::Meter;
use crate::dependency::Dependencies;
use crate::derive::{Derivations, DeriveError, Query};
use crate::ids::{ClauseId, Id, IdVec, RelationId, VariableId};
use crate::program::{Atom, Formula, GroundAtom, Pattern, Program};

/// The level of each relation, read literally as appendix A.2 prints it: 0 without negative
/// subgoals, else one more than the highest level of a relation that occurs negatively.
///
/// The appendix says that this is the most negative arcs on any path to the relation, which is not
/// so: with `p :- ~q` and `r :- p`, the relation `r` is literally at level 0, below the level 1 of
/// `p` that it needs. Evaluate by [`Dependencies::strata`], which counts arcs; this function shows
/// the difference. `None` when the program is not stratified.
pub fn literal_levels(dependencies: &Dependencies) -> Option<IdVec<RelationId, usize>> {
    if dependencies.unstratified().next().is_some() {
        return None;
    }
    let count = dependencies.components().iter().map(Vec::len).sum();
    let mut levels: IdVec<RelationId, usize> = vec![0; count].into();
    // Components come after what they depend on, and no negative arc stays inside one.
    for &relation in dependencies.components().iter().flatten() {
        let below = dependencies.uses(relation).iter().filter(|e| e.negative).map(|e| levels[e.body] + 1);
        levels[relation] = below.max().unwrap_or(0);
    }
    Some(levels)
}

/// A program with its relations parted into inputs (base relations) and outputs (view relations).
#[derive(Clone, Copy, Debug)]
pub struct OpenProgram<'p> {
    program: &'p Program,
}

impl<'p> OpenProgram<'p> {
    /// The open program whose inputs are the given relations of the program's interface.
    ///
    /// # Errors
    /// The clauses with an input relation in the head, which an open program must not have.
    pub fn new(program: &'p Program) -> Result<Self, Vec<ClauseId>> {
        let defines_input = |id: &ClauseId| program.is_given(program.clauses[*id].head.relation);
        let wrong: Vec<ClauseId> = program.clauses.ids().filter(defines_input).collect();
        if wrong.is_empty() { Ok(Self { program }) } else { Err(wrong) }
    }

    /// The input relations, in order of their ids.
    pub fn inputs(&self) -> Vec<RelationId> {
        self.program.relations.ids().filter(|&r| self.program.is_given(r)).collect()
    }

    /// The output relations: all others.
    pub fn outputs(&self) -> Vec<RelationId> {
        self.program.relations.ids().filter(|&r| !self.program.is_given(r)).collect()
    }

    /// The meaning of the program for one input model: the output model, by relation and then in
    /// canonical order.
    ///
    /// # Errors
    /// [`DeriveError::Malformed`] when `input` has atoms of other relations; and as
    /// [`Derivations::answers`].
    pub fn output_model(
        &self,
        input: &[GroundAtom],
        meter: &mut Meter,
    ) -> Result<Vec<GroundAtom>, DeriveError> {
        if !input.iter().all(|atom| self.program.is_given(atom.relation)) {
            return Err(DeriveError::Malformed);
        }
        let mut derivations = Derivations::new(self.program, input)?;
        let mut model = Vec::new();
        for relation in self.outputs() {
            let data = &self.program.relations[relation];
            let variables = (0..data.arity).map(VariableId::from_index);
            let args = variables.map(Pattern::Variable).collect();
            // The names are never seen: an open atom cannot flounder.
            let names = vec![data.name; data.arity].into();
            let query = Query { formula: Formula::Atom(Atom { relation, args }), variables: names };
            let answers = derivations.answers(&query, meter)?;
            model.extend(answers.rows.into_iter().map(|args| GroundAtom { relation, args }));
        }
        Ok(model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::clause_text::{ground, program};

    type Named = Vec<(String, usize)>;

    /// The literal levels and the strata of relations with names of one letter.
    fn levels(text: &str) -> (Named, Named) {
        let p = program(text);
        let dependencies = Dependencies::new(&p);
        let named = |values: IdVec<RelationId, usize>| {
            let mut list: Vec<_> =
                values.entries().map(|(r, &l)| (p.relation_name(r).to_string(), l)).collect();
            list.retain(|(name, _)| name.len() == 1);
            list
        };
        (named(literal_levels(&dependencies).unwrap()), named(dependencies.strata()))
    }

    #[test]
    fn the_two_definitions_of_level_differ() {
        let (literal, strata) = levels("p(X) :- d(X) & ~q(X) r(X) :- p(X) s(X) :- d(X) & ~r(X)");
        let expected = |p, d, q, r, s| {
            [("p", p), ("d", d), ("q", q), ("r", r), ("s", s)].map(|(n, l): (&str, usize)| (n.to_string(), l))
        };
        // Literally s is at level 1 beside p, though it needs the complement of r, which needs p.
        assert_eq!(literal, expected(1, 0, 0, 0, 1));
        assert_eq!(strata, expected(1, 0, 0, 1, 2));
        let (literal, strata) = levels("p(X) :- d(X) & ~q(X)");
        assert_eq!(literal, strata);
    }

    #[test]
    fn the_appendix_s_childless_is_at_level_1() {
        let p = program(
            "person(X) :- parent(X,Y) isparent(X) :- parent(X,Y) childless(X) :- person(X) & ~isparent(X)",
        );
        let levels = literal_levels(&Dependencies::new(&p)).unwrap();
        let level = |name| levels[p.find_relation(name, 1).unwrap()];
        assert_eq!((level("isparent"), level("person"), level("childless")), (0, 0, 1));
        let p = program("r(X,Y) :- p(X,Y) r(X,Z) :- p(X,Y) & q(Z) & ~r(Y,Z)");
        assert!(literal_levels(&Dependencies::new(&p)).is_none());
    }

    #[test]
    fn one_open_program_has_an_output_model_for_each_input_model() {
        let p = program("next(p) :- ~true(p) next(q) :- true(p) terminal :- true(q)");
        let open = OpenProgram::new(&p).unwrap();
        assert_eq!(open.inputs().len(), 2);
        let mut meter = Budget::unlimited().meter();
        let mut model = |input: &[&str]| -> Vec<String> {
            let input: Vec<_> = input.iter().map(|t| ground(&p, t)).collect();
            let output = open.output_model(&input, &mut meter).unwrap();
            let text = |a: &GroundAtom| {
                let args: Vec<String> = a.args.iter().map(|&t| p.terms.infix(t)).collect();
                format!("{} {}", p.relation_name(a.relation), args.join(" "))
            };
            output.iter().map(|a| text(a).trim().to_string()).collect()
        };
        assert_eq!(model(&[]), ["next p"]);
        assert_eq!(model(&["true(p)", "true(q)"]), ["next q", "terminal"]);
        assert!(open.output_model(&[ground(&p, "next(p)")], &mut meter).is_err());
        let wrong = program("p(1) true(p) :- p(1)");
        assert_eq!(OpenProgram::new(&wrong).unwrap_err(), [ClauseId::from_index(1)]);
    }
}
