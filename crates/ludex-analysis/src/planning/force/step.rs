//! What one step shows of many states at once: why a state is won or lost, the solver's core says, and
//! the same then holds of all states that agree with it in the bases of the core.

use ludex_game::Goal;
use ludex_logic::Meter;

use super::cubes::Cube;
use super::reach::FOREVER;
use crate::planning::courses::Courses;
use crate::planning::model::Model;
use crate::planning::search::{Others, Stopped};
use crate::sat::{Literal, Origin, Unrolling, Verdict};

/// One step from any state that is not terminal, and the cubes of states that are won or lost.
pub(super) struct Step<'m> {
    unrolling: Unrolling<'m>,
    model: &'m Model,
    role: usize,
    /// The next state is terminal and has what is wanted.
    wins: Literal,
    /// The next state is terminal.
    ends: Literal,
    /// Some other role has no legal move.
    stuck: Literal,
    /// Some other role makes a move that is not legal.
    foul: Literal,
    /// If true, the next state is in no won cube that is switched on.
    outside_won: Literal,
    /// If true, the next state is in no lost cube that is switched on.
    outside_lost: Literal,
    /// Per number of steps: switches the cubes on that are won within them.
    won: Vec<Literal>,
    /// Per number of steps: switches the cubes on that are lost for so many.
    lost: Vec<Literal>,
    /// Switches the cubes on that are lost for ever.
    lost_forever: Literal,
    pub(super) questions: u64,
}

impl<'m> Step<'m> {
    pub(super) fn new(model: &'m Model, role: usize, least: Goal, meter: Meter) -> Result<Self, Stopped> {
        let mut courses = Courses::from_origin(model, role, Others::Helping, Origin::Any, meter);
        courses.strengthen_first()?;
        let mut unrolling = courses.unrolling;
        let circuit = model.circuit();
        let terminal = unrolling.literal(0, circuit.terminal)?;
        unrolling.solver().clause([!terminal])?;
        let (mut stuck, mut foul) = (Vec::new(), Vec::new());
        for (other, legal) in circuit.legal.iter().enumerate() {
            let made: Vec<Literal> = (0..legal.len()).map(|m| unrolling.made(0, other, m)).collect();
            unrolling.solver().at_most_one(&made)?;
            if other == role {
                continue;
            }
            let mut none = Vec::with_capacity(legal.len());
            for (&edge, &made) in legal.iter().zip(&made) {
                let legal = unrolling.literal(0, edge)?;
                none.push(!legal);
                foul.push(!unrolling.solver().conjunction(&[made, !legal])?);
            }
            stuck.push(!unrolling.solver().conjunction(&none)?);
        }
        let stuck = !unrolling.solver().conjunction(&stuck)?;
        let foul = !unrolling.solver().conjunction(&foul)?;
        unrolling.add_frame();
        let (wins, ends) = end(&mut unrolling, model, role, least)?;
        let mut variable = || unrolling.solver().variable();
        let (outside_won, outside_lost, lost_forever) = (variable(), variable(), variable());
        Ok(Self {
            unrolling,
            model,
            role,
            wins,
            ends,
            stuck,
            foul,
            outside_won,
            outside_lost,
            won: Vec::new(),
            lost: Vec::new(),
            lost_forever,
            questions: 0,
        })
    }

    /// States in which this move wins, whatever others reply: among them this one, of which that is known
    /// with `steps` steps for the replies' states. `None` if the cubes do not show it.
    pub(super) fn won_by(
        &mut self,
        state: &[bool],
        action: u32,
        steps: u32,
    ) -> Result<Option<Cube>, Stopped> {
        let circuit = self.model.circuit();
        let legal = self.unrolling.literal(0, circuit.legal[self.role][action as usize])?;
        let solver = self.unrolling.solver();
        // Something goes wrong: the move is not legal, nobody can reply, or a reply leads elsewhere.
        let (asked, replied) = (solver.variable(), solver.variable());
        solver.clause([!asked, !legal, self.stuck, replied])?;
        solver.clause([!replied, !self.wins])?;
        solver.clause([!replied, self.ends, self.outside_won])?;
        solver.clause([!replied, !self.foul])?;
        for (other, moves) in circuit.moves.iter().enumerate() {
            if other != self.role {
                let made: Vec<Literal> =
                    (0..moves.len()).map(|number| self.unrolling.made(0, other, number)).collect();
                self.unrolling.solver().clause(made.into_iter().chain([!replied]))?;
            }
        }
        let mut assumptions = vec![asked, self.unrolling.made(0, self.role, action as usize)];
        assumptions.extend(self.won.iter().take(steps as usize + 1));
        let cube = self.core(state, assumptions)?;
        self.unrolling.solver().clause([!asked])?;
        Ok(cube)
    }

    /// States in which every move of the role has a reply that leads to a lost state: among them this one,
    /// where these moves (of all roles) are the replies to the role's legal moves, and lead to states that
    /// are lost for `steps` steps. `None` if the cubes do not show it.
    pub(super) fn lost_to(
        &mut self,
        state: &[bool],
        replies: &[Vec<u32>],
        steps: u32,
    ) -> Result<Option<Cube>, Stopped> {
        let circuit = self.model.circuit();
        let asked = self.unrolling.solver().variable();
        // Something goes wrong: a legal move has no reply in the list, or not a legal one, or one that
        // leads elsewhere.
        let mut some = vec![!asked];
        for number in 0..circuit.moves[self.role].len() {
            let legal = self.unrolling.literal(0, circuit.legal[self.role][number])?;
            let made = self.unrolling.made(0, self.role, number);
            let solver = self.unrolling.solver();
            let chosen = solver.conjunction(&[made, legal])?;
            some.push(chosen);
            if let Some(reply) = replies.iter().find(|reply| reply[self.role] as usize == number) {
                let elsewhere = [!asked, !chosen, self.foul, self.wins, self.outside_lost];
                solver.clause(elsewhere)?;
                // A terminal state in which the role has not won is lost, whatever cubes there are.
                solver.clause([!asked, !chosen, self.foul, self.wins, !self.ends])?;
                for (other, &action) in reply.iter().enumerate().filter(|&(other, _)| other != self.role) {
                    let answer = self.unrolling.made(0, other, action as usize);
                    self.unrolling.solver().clause([!asked, !chosen, answer])?;
                }
            }
        }
        self.unrolling.solver().clause(some)?;
        let mut assumptions = vec![asked, self.lost_forever];
        if steps != FOREVER {
            assumptions.extend(self.lost.iter().skip(steps as usize));
        }
        let cube = self.core(state, assumptions)?;
        self.unrolling.solver().clause([!asked])?;
        Ok(cube)
    }

    /// Takes note of states that are won within so many steps.
    pub(super) fn add_won(&mut self, cube: &Cube, steps: u32) -> Result<(), Stopped> {
        let solver = self.unrolling.solver();
        while self.won.len() <= steps as usize {
            self.won.push(solver.variable());
        }
        let switches = [!self.won[steps as usize], !self.outside_won];
        self.forbid(cube, switches)
    }

    /// Takes note of states that are lost for so many steps.
    pub(super) fn add_lost(&mut self, cube: &Cube, steps: u32) -> Result<(), Stopped> {
        let solver = self.unrolling.solver();
        while steps != FOREVER && self.lost.len() <= steps as usize {
            self.lost.push(solver.variable());
        }
        let switch = if steps == FOREVER { self.lost_forever } else { self.lost[steps as usize] };
        self.forbid(cube, [!switch, !self.outside_lost])
    }

    fn forbid(&mut self, cube: &Cube, switches: [Literal; 2]) -> Result<(), Stopped> {
        let mut clause = switches.to_vec();
        for (base, value) in cube.bases() {
            let literal = self.unrolling.base(1, base)?;
            clause.push(if value { !literal } else { literal });
        }
        Ok(self.unrolling.solver().clause(clause)?)
    }

    /// The states for which these assumptions fail, if they do for this one.
    fn core(&mut self, state: &[bool], mut assumptions: Vec<Literal>) -> Result<Option<Cube>, Stopped> {
        let others = assumptions.len();
        for (base, &value) in state.iter().enumerate() {
            let literal = self.unrolling.base(0, base as u32)?;
            assumptions.push(if value { literal } else { !literal });
        }
        self.questions += 1;
        if self.unrolling.solve(&assumptions, u64::MAX)? != Verdict::Unsatisfiable {
            return Ok(None);
        }
        let solver = self.unrolling.solver();
        let bases = (0..state.len()).filter(|&base| solver.is_in_core(assumptions[others + base]));
        Ok(Some(Cube::around(state, bases.map(|base| base as u32))))
    }
}

/// Of the state after the step: it is terminal with what is wanted; it is terminal.
fn end(
    unrolling: &mut Unrolling<'_>,
    model: &Model,
    role: usize,
    least: Goal,
) -> Result<(Literal, Literal), Stopped> {
    let circuit = model.circuit();
    let ends = unrolling.literal(1, circuit.terminal)?;
    let mut parts = vec![ends];
    let mut worse = Vec::new();
    for &(value, edge) in &circuit.goals[role] {
        let holds = unrolling.literal(1, edge)?;
        if value >= least { worse.push(!holds) } else { parts.push(!holds) }
    }
    let solver = unrolling.solver();
    parts.push(!solver.conjunction(&worse)?);
    Ok((solver.conjunction(&parts)?, ends))
}
