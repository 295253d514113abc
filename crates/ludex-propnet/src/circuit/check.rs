//! What the type of circuits promises, verified.

use ludex_logic::{TermId, Terms};

use super::{Circuit, Edge, Gate};

/// A promise that a circuit does not keep.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CircuitFault {
    /// Gate 0 is not false, or another gate is.
    #[error("gate {0} is false, or it is gate 0 and is not")]
    False(u32),
    /// A base, move or loop of this gate does not exist, or another gate is the same.
    #[error("the source gate {0} stands for nothing, or is the second of its kind")]
    Source(u32),
    /// An and-gate with fewer than two edges, or with an edge to a later gate.
    #[error("gate {0} has too few edges or one to a gate that is not before it")]
    And(u32),
    /// An edge of this list points to no gate.
    #[error("an edge of {0} points to no gate")]
    Edge(&'static str),
    /// Two lists that belong together differ in length.
    #[error("the lists of {0} differ in length")]
    Length(&'static str),
    /// A list is not in canonical order, or has something twice.
    #[error("the {0} are not in order")]
    Order(&'static str),
    /// The value of a stored base is not its own gate.
    #[error("base {0} is not the value of its proposition")]
    Base(u32),
    /// A question about the state depends on moves.
    #[error("{0} depend on moves")]
    Moves(&'static str),
    /// A variable of a loop that no loop has, or that it has twice.
    #[error("gate {0} is not exactly one variable of its loop")]
    Variable(u32),
    /// A gate is in the bodies of two loops.
    #[error("gate {0} is in the bodies of two loops")]
    Bodies(u32),
    /// Loops that wait for each other.
    #[error("a loop depends on itself through another loop")]
    Mutual,
}

impl Circuit {
    /// Verifies all that the types of this module say about circuits, but for what would take solving:
    /// that definitions of loops are monotone, and that a proposition can be true. The time is linear
    /// for circuits of up to 64 loops.
    ///
    /// # Errors
    /// The first [`CircuitFault`] found.
    pub fn check(&self) -> Result<(), CircuitFault> {
        self.check_gates()?;
        self.check_variables()?;
        self.check_edges()?;
        self.check_lists()?;
        let terms = &*self.terms;
        check_order(terms, &self.propositions, "propositions")?;
        self.moves.iter().try_for_each(|list| check_order(terms, list, "moves"))?;
        for list in &self.percepts {
            let percepts: Vec<TermId> = list.iter().map(|&(term, _)| term).collect();
            check_order(terms, &percepts, "percepts")?;
        }
        for list in &self.goals {
            if !list.is_sorted_by(|a, b| a.0 < b.0) {
                return Err(CircuitFault::Order("goals"));
            }
        }
        self.check_bases()?;
        self.check_loops()?;
        self.check_moves()
    }

    fn check_gates(&self) -> Result<(), CircuitFault> {
        let mut bases = vec![false; self.bases.len()];
        let mut inputs: Vec<Vec<bool>> = self.moves.iter().map(|list| vec![false; list.len()]).collect();
        if self.gates.first() != Some(&Gate::False) {
            return Err(CircuitFault::False(0));
        }
        for (number, gate) in (0u32..).zip(&self.gates) {
            let once = |place: Option<&mut bool>| match place.map(|seen| std::mem::replace(seen, true)) {
                Some(false) => Ok(()),
                _ => Err(CircuitFault::Source(number)),
            };
            match gate {
                Gate::False if number != 0 => return Err(CircuitFault::False(number)),
                Gate::False => {}
                Gate::Base(base) => once(bases.get_mut(*base as usize))?,
                Gate::Input(role, at) => {
                    once(inputs.get_mut(*role as usize).and_then(|r| r.get_mut(*at as usize)))?;
                }
                Gate::Feedback(number_of_loop) if (*number_of_loop as usize) < self.loops.len() => {}
                Gate::Feedback(_) => return Err(CircuitFault::Source(number)),
                Gate::And(edges) => {
                    if edges.len() < 2 || edges.iter().any(|e| e.gate().0 >= number) {
                        return Err(CircuitFault::And(number));
                    }
                }
            }
        }
        Ok(())
    }

    fn check_variables(&self) -> Result<(), CircuitFault> {
        let mut seen = vec![false; self.gates.len()];
        for (number, found) in (0u32..).zip(&self.loops) {
            for variable in &found.feedback {
                let gate = variable.gate;
                let right = self.gates.get(gate.index()) == Some(&Gate::Feedback(number));
                if !right || std::mem::replace(&mut seen[gate.index()], true) {
                    return Err(CircuitFault::Variable(gate.0));
                }
            }
        }
        let is_variable = |gate: &Gate| matches!(gate, Gate::Feedback(_));
        match self.gates.iter().zip(seen).position(|(gate, seen)| is_variable(gate) && !seen) {
            Some(at) => Err(CircuitFault::Variable(at as u32)),
            None => Ok(()),
        }
    }

    fn check_edges(&self) -> Result<(), CircuitFault> {
        let definitions = self.loops.iter().flat_map(|l| &l.feedback).map(|f| f.definition);
        self.check_range("loops", definitions)?;
        self.check_range("values", self.values.iter().copied())?;
        self.check_range("bases", self.bases.iter().map(|b| b.next))?;
        self.check_range("legal moves", self.legal.iter().flatten().copied())?;
        self.check_range("goals", self.goals.iter().flatten().map(|g| g.1))?;
        self.check_range("percepts", self.percepts.iter().flatten().map(|p| p.1))?;
        self.check_range("the terminal states", [self.terminal])
    }

    fn check_range(
        &self,
        what: &'static str,
        edges: impl IntoIterator<Item = Edge>,
    ) -> Result<(), CircuitFault> {
        let in_range = edges.into_iter().all(|e| e.gate().index() < self.gates.len());
        if in_range { Ok(()) } else { Err(CircuitFault::Edge(what)) }
    }

    fn check_lists(&self) -> Result<(), CircuitFault> {
        if self.values.len() != self.propositions.len() {
            return Err(CircuitFault::Length("propositions"));
        }
        let per_role = [self.legal.len(), self.goals.len(), self.percepts.len()];
        if per_role.iter().any(|&length| length != self.moves.len()) {
            return Err(CircuitFault::Length("roles"));
        }
        if self.moves.iter().zip(&self.legal).any(|(moves, legal)| moves.len() != legal.len()) {
            return Err(CircuitFault::Length("moves"));
        }
        Ok(())
    }

    fn check_bases(&self) -> Result<(), CircuitFault> {
        for (number, base) in (0u32..).zip(&self.bases) {
            let value = self.values.get(base.proposition as usize);
            let own = value.filter(|v| !v.is_complemented()).map(|v| &self.gates[v.gate().index()]);
            if own != Some(&Gate::Base(number)) {
                return Err(CircuitFault::Base(number));
            }
        }
        Ok(())
    }

    /// Questions about the state depend on bases only, values of propositions not even on loops that
    /// read moves.
    fn check_moves(&self) -> Result<(), CircuitFault> {
        let depends = self.depends_on_moves();
        let any = |edges: &[Edge]| edges.iter().any(|e| depends[e.gate().index()]);
        let goals: Vec<Edge> = self.goals.iter().flatten().map(|g| g.1).collect();
        let what = if any(&self.values) {
            "values"
        } else if self.legal.iter().any(|list| any(list)) {
            "legal moves"
        } else if any(&goals) {
            "goals"
        } else if any(&[self.terminal]) {
            "terminal states"
        } else {
            return Ok(());
        };
        Err(CircuitFault::Moves(what))
    }

    /// Per gate whether its value can depend on a move, as far as its edges and loops tell.
    pub fn depends_on_moves(&self) -> Vec<bool> {
        let mut depends = vec![false; self.gates.len()];
        for stage in self.schedule() {
            let gates = stage.gates();
            let mut any = gates.iter().any(|&gate| match &self.gates[gate.index()] {
                Gate::Input(..) => true,
                other => other.operands().iter().any(|e| depends[e.gate().index()]),
            });
            if let Some(number) = stage.loop_number() {
                let variables = &self.loops[number as usize].feedback;
                any |= variables.iter().any(|f| depends[f.definition.gate().index()]);
            }
            gates.iter().for_each(|gate| depends[gate.index()] |= any);
        }
        depends
    }

    fn check_loops(&self) -> Result<(), CircuitFault> {
        let mut in_body = vec![false; self.gates.len()];
        for body in self.bodies() {
            for gate in body {
                if std::mem::replace(&mut in_body[gate.index()], true) {
                    return Err(CircuitFault::Bodies(gate.0));
                }
            }
        }
        if self.stages().1 { Ok(()) } else { Err(CircuitFault::Mutual) }
    }
}

fn check_order(terms: &Terms, list: &[TermId], what: &'static str) -> Result<(), CircuitFault> {
    let sorted = list.is_sorted_by(|&a, &b| terms.compare(a, b).is_lt());
    if sorted { Ok(()) } else { Err(CircuitFault::Order(what)) }
}
