//! The program of 15.2 and 15.3 without variables, from the faithful grounding of a game.

use ludex_logic::ground::GroundRule;
use ludex_logic::{AtomId, Budget, Id, LimitError, Meter, RelationId, TEXT_LIMIT, TermId};

use super::program::{Atom, Choice, Head, Program, Rule};
use super::request::{Request, Task};
use crate::{Faithful, Subject, SubjectError};

/// Bytes that an atom costs with its name.
const BYTES_PER_ATOM: usize = 128;

/// A game over time as a ground program: the answer sets are those of
/// [`translate`](super::translate)'s text. Its moves are shown.
#[derive(Clone, Debug)]
pub struct Unrolled {
    /// The program.
    pub program: Program,
    /// `does(R,M,T)`: the atom, with time, role and move; by atom.
    moves: Vec<(Atom, u32, usize, TermId)>,
    roles: usize,
}

/// Makes the program that asks what is requested.
///
/// # Errors
/// When the rules cannot be grounded, or the budget is spent.
pub fn unroll(subject: &Subject, request: &Request, budget: &Budget) -> Result<Unrolled, SubjectError> {
    let faithful = subject.faithful(budget)?;
    let mut writer = Unroller {
        subject,
        faithful: &faithful,
        request,
        program: Program::new(),
        moves: Vec::new(),
        meter: budget.meter(),
        named: 0,
        here: (0, Vec::new()),
    };
    writer.start()?;
    for time in 1..=request.horizon {
        writer.rules_at(time)?;
        writer.moves_at(time)?;
    }
    writer.goal()?;
    let Unroller { mut program, mut moves, .. } = writer;
    moves.sort_unstable();
    if !matches!(request.task, Task::Evolution(_)) {
        program.show(moves.iter().map(|&(atom, ..)| atom).collect());
    }
    Ok(Unrolled { program, moves, roles: subject.signature().roles().len() })
}

impl Unrolled {
    /// The joint moves in a model: from time 1 on, as long as each role makes a move.
    pub fn plan(&self, model: &[Atom]) -> Vec<Vec<TermId>> {
        let mut steps: Vec<Vec<Option<TermId>>> = Vec::new();
        for atom in model {
            let Ok(at) = self.moves.binary_search_by_key(atom, |&(atom, ..)| atom) else { continue };
            let (_, time, role, action) = self.moves[at];
            let step = time as usize - 1;
            if steps.len() <= step {
                steps.resize(step + 1, vec![None; self.roles]);
            }
            steps[step][role] = Some(action);
        }
        steps.into_iter().map_while(|step| step.into_iter().collect()).collect()
    }
}

struct Unroller<'a> {
    subject: &'a Subject,
    faithful: &'a Faithful,
    request: &'a Request,
    program: Program,
    moves: Vec<(Atom, u32, usize, TermId)>,
    meter: Meter,
    /// The bytes of the names so far.
    named: usize,
    /// A time, and the atoms of the grounding at that time, as far as they were met.
    here: (u32, Vec<Option<Atom>>),
}

impl Unroller<'_> {
    /// `relation(args, time)` by its name.
    fn named(&mut self, relation: &str, args: &[TermId], time: u32) -> Result<Atom, LimitError> {
        self.meter.spend(1)?;
        let terms = self.faithful.grounding.terms();
        // A name that was cut could be that of another atom.
        terms.charge_text("an atom", args.iter().copied(), TEXT_LIMIT)?;
        let bytes = self.program.atoms().len().saturating_mul(BYTES_PER_ATOM).saturating_add(self.named);
        self.meter.check_memory(bytes, || "atoms over time".to_owned())?;
        let mut name = format!("{relation}(");
        for &arg in args {
            name.push_str(&terms.infix(arg));
            name.push(',');
        }
        name.push_str(&format!("{time})"));
        let before = self.program.atoms().len();
        let atom = self.program.atom(&name);
        if self.program.atoms().len() > before {
            self.named += name.len();
        }
        Ok(atom)
    }

    /// An atom of the grounding at a time; `next` is `true` at the next time.
    fn at(&mut self, atom: AtomId, time: u32) -> Result<Atom, LimitError> {
        if self.here.0 != time || self.here.1.is_empty() {
            self.here = (time, vec![None; self.faithful.grounding.atom_count()]);
        }
        if let Some(known) = self.here.1[atom.index()] {
            return Ok(known);
        }
        let found = self.new_at(atom, time)?;
        self.here.1[atom.index()] = Some(found);
        Ok(found)
    }

    fn new_at(&mut self, atom: AtomId, time: u32) -> Result<Atom, LimitError> {
        let faithful = self.faithful;
        let program = &self.subject.rules().program().program;
        let next = self.subject.rules().program().vocabulary.next;
        match faithful.grounding.atom(atom) {
            Some(ground) if ground.relation == next => {
                self.named("true", &ground.args, time.saturating_add(1))
            }
            Some(ground) => {
                // One name with another number of arguments is another relation.
                let arity = program.relations[ground.relation].arity;
                let name = program.relation_name(ground.relation);
                let plain = self.is_keyword(ground.relation);
                let name = if plain { name.to_owned() } else { format!("{name}/{arity}") };
                self.named(&name, &ground.args, time)
            }
            None => self.named(&format!("part/{}", atom.index()), &[], time),
        }
    }

    fn is_keyword(&self, relation: RelationId) -> bool {
        let v = &self.subject.rules().program().vocabulary;
        [v.truth, v.does, v.legal, v.goal, v.terminal].contains(&relation)
    }

    /// The initial state, and the moves that are given.
    fn start(&mut self) -> Result<(), LimitError> {
        let faithful = self.faithful;
        for (number, base) in (0..).zip(&faithful.circuit.bases) {
            if base.initial {
                let atom = self.named("true", &[faithful.base_term(number)], 1)?;
                self.program.normal(atom, Vec::new(), Vec::new());
            }
        }
        let Task::Evolution(steps) = &self.request.task else { return Ok(()) };
        let signature = self.subject.signature();
        for (time, joint) in (1..).zip(steps) {
            for (number, (&role, &action)) in signature.roles().iter().zip(joint).enumerate() {
                let atom = self.named("does", &[role, action], time)?;
                self.program.normal(atom, Vec::new(), Vec::new());
                self.moves.push((atom, time, number, action));
            }
        }
        Ok(())
    }

    /// The rules of the game with this time.
    fn rules_at(&mut self, time: u32) -> Result<(), LimitError> {
        let faithful = self.faithful;
        let v = self.subject.rules().program().vocabulary;
        let timeless = [v.role, v.base, v.input, v.init, v.percept];
        for GroundRule { head, body, .. } in faithful.grounding.rules() {
            if faithful.grounding.atom(head).is_some_and(|atom| timeless.contains(&atom.relation)) {
                continue;
            }
            self.meter.spend(1 + body.len() as u64)?;
            let head = self.at(head, time)?;
            let (mut positive, mut negative) = (Vec::new(), Vec::new());
            for literal in body {
                let atom = self.at(literal.atom(), time)?;
                if literal.is_negated() { negative.push(atom) } else { positive.push(atom) }
            }
            self.program.normal(head, positive, negative);
        }
        Ok(())
    }

    /// The choice of moves at this time, and when the game is over.
    fn moves_at(&mut self, time: u32) -> Result<(), LimitError> {
        if matches!(self.request.task, Task::Evolution(_)) {
            return Ok(());
        }
        let mut over = Vec::new();
        if self.request.task == Task::Plan {
            let terminated = self.named("terminated", &[], time)?;
            let terminal = self.named("terminal", &[], time)?;
            let before = self.named("terminated", &[], time - 1)?;
            self.program.normal(terminated, vec![terminal], Vec::new());
            self.program.normal(terminated, vec![before], Vec::new());
            over.push(terminated);
        }
        let signature = self.subject.signature();
        let faithful = self.faithful;
        for (number, &role) in signature.roles().iter().enumerate() {
            let mut atoms = Vec::new();
            for &action in &faithful.circuit.moves[number] {
                let does = self.named("does", &[role, action], time)?;
                let legal = self.named("legal", &[role, action], time)?;
                self.program.constraint(vec![does], vec![legal]);
                self.moves.push((does, time, number, action));
                atoms.push(does);
            }
            let head = Head::Choice(Choice { atoms, at_least: 1, at_most: Some(1) });
            self.program.rule(Rule { head, positive: Vec::new(), negative: over.clone() });
        }
        Ok(())
    }

    /// The game ends, and with a goal value that will do.
    fn goal(&mut self) -> Result<(), LimitError> {
        let request = self.request;
        if matches!(request.task, Task::Evolution(_)) {
            return Ok(());
        }
        let terms = self.faithful.grounding.terms().clone();
        let vocabulary = self.subject.rules().program().vocabulary;
        let role = self.subject.signature().roles().get(request.role.index()).copied();
        let goals = self.faithful.grounding.atoms_of(vocabulary.goal);
        let mut terminals = Vec::new();
        for time in 1..=request.horizon {
            let won = self.named("won", &[], time)?;
            let terminal = self.named("terminal", &[], time)?;
            for &goal in &goals {
                let Some(atom) = self.faithful.grounding.atom(goal) else { continue };
                let value = terms.integer(atom.args[1]).filter(|&value| value <= 100);
                let will_do = value.is_some_and(|value| value >= request.least_goal.into());
                if Some(atom.args[0]) == role && will_do {
                    let goal = self.at(goal, time)?;
                    self.program.normal(won, vec![goal], Vec::new());
                }
            }
            let mut unless = vec![won];
            if request.task == Task::Plan {
                unless.push(self.named("terminated", &[], time - 1)?);
            }
            self.program.constraint(vec![terminal], unless);
            terminals.push(terminal);
        }
        if request.task == Task::Plan {
            let terminated = self.named("terminated", &[], request.horizon)?;
            self.program.constraint(Vec::new(), vec![terminated]);
        } else {
            self.program.constraint(Vec::new(), terminals);
        }
        Ok(())
    }
}
