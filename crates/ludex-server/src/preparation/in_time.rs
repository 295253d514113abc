//! The work itself, on games in real time.

use std::sync::OnceLock;

use ludex::analysis::{PictureStyle, Structure, TextStyle};
use ludex::game::{RoleId, TimedRules};
use ludex::logic::TermId;

use super::answer::{Offered, is_turned, notation_name, picture, timed_seat_roles};
use super::late::Trouble;
use super::playability::{self, Unplayable};
use super::question::{About, ShowWish, Shown};
use super::short::shorten;

/// A game in real time that is ready.
#[derive(Debug)]
pub(super) struct ReadyTimedGame {
    rules: TimedRules,
    /// Its boards, found the first time somebody asks.
    structure: OnceLock<Option<Structure>>,
}

fn initial_facts(rules: &TimedRules) -> Vec<TermId> {
    rules.machine().initial().facts().iter().map(|&(_, fact)| fact).collect()
}

impl ReadyTimedGame {
    pub(super) fn new(rules: TimedRules) -> Self {
        Self { rules, structure: OnceLock::new() }
    }

    pub(super) fn rules(&self) -> &TimedRules {
        &self.rules
    }

    /// Whether there is a board to be seen.
    pub(super) fn has_board(&self) -> bool {
        self.structure().is_some_and(|structure| !structure.boards().is_empty())
    }

    /// Its boards, where its rules have a text.
    pub(super) fn structure(&self) -> Option<&Structure> {
        let rules = &self.rules;
        let find =
            || Some(Structure::find_in_time(rules.program()?, &**rules.machine(), rules.question_budget()));
        self.structure.get_or_init(find).as_ref()
    }

    /// Why nobody can play it.
    pub(super) fn playability(&self) -> Result<Option<Unplayable>, Trouble> {
        Ok(playability::of_timed_game(&self.rules)?)
    }

    pub(super) fn about(&self) -> Result<About, Trouble> {
        let rules = &self.rules;
        let machine = rules.machine();
        let mut runner = machine.runner(rules.question_budget());
        let moves = (0..rules.role_terms().len() as u32).map(|role| Ok(runner.legal(RoleId(role))?.len()));
        let initial_moves = moves.collect::<Result<Vec<usize>, Trouble>>()?;
        let wrong = || Trouble::TooMuch("the rules have errors".to_owned());
        let program = rules.program().ok_or_else(wrong)?;
        let structure = self.structure().ok_or_else(wrong)?;
        let facts = initial_facts(rules);
        Ok(About {
            notation: notation_name(machine.notation()).to_owned(),
            roles: rules.role_terms().iter().map(|&role| machine.terms().prefix(role)).collect(),
            seats: timed_seat_roles(rules),
            hidden: rules.dialect().has_percepts(),
            real_time: true,
            clauses: program.program.clauses.len(),
            initial_facts: facts.len(),
            initial_moves,
            board_svg: structure.draw_svg(&facts),
            board_text: structure.draw_text(&facts, &TextStyle::default()),
            picture: picture(structure, &facts, &PictureStyle::default()),
        })
    }

    pub(super) fn show(&self, wish: &ShowWish) -> Shown {
        let rules = &self.rules;
        let machine = rules.machine();
        // This process has not played the match: its game may never have met what is in it.
        let term = |text: &String| machine.make_term(text).ok().flatten();
        let known = |texts: &[String]| texts.iter().filter_map(term).collect::<Vec<TermId>>();
        let role_name = |role: RoleId| machine.text(rules.role_terms()[role.index()]);
        let seats = rules.seats().into_iter().map(|role| (role.index(), role_name(role))).collect();
        let mut shown = Shown { seats, ..Shown::default() };
        let written = |text: &String| term(text).map_or_else(|| text.clone(), |term| machine.text(term));
        shown.terms = wish.terms.iter().map(written).collect();
        let facts = match &wish.facts {
            None => initial_facts(rules),
            Some(facts) => known(facts),
        };
        let Some(structure) = self.structure() else { return shown };
        if wish.plain {
            let all = wish.facts.as_ref().is_none_or(|wanted| wanted.len() == facts.len());
            shown.plain = (all && !facts.is_empty())
                .then(|| (structure.draw_svg(&facts), structure.draw_text(&facts, &TextStyle::default())));
        } else if !facts.is_empty() || wish.spots {
            let seats: Vec<usize> = rules.seats().into_iter().map(|role| role.index()).collect();
            let turned = is_turned(structure, || initial_facts(rules), &seats, wish.seat);
            let named = known(&wish.marked).into_iter().map(|action| structure.spots_of(action));
            let marked = named.filter(|named| !named.any).flat_map(|named| named.spots).collect();
            shown.picture = picture(
                structure,
                &facts,
                &PictureStyle { spots: wish.spots, marked, turned, ..PictureStyle::default() },
            );
        }
        let named = |text: &String| (term(text), written(text));
        let seat = wish.seat.and_then(|seat| rules.seats().get(seat).copied());
        let role = seat.map(|role| rules.role_terms()[role.index()]);
        let state = Offered { structure, facts: &facts, role };
        shown.moves = wish.moves.iter().map(|text| state.offered(text, named(text))).collect();
        let short = |text: &str| term(&text.to_owned()).map(|action| structure.short(action));
        shorten(&mut shown.moves, short);
        let short_or_whole = |text: &String| short(text).unwrap_or_else(|| text.clone());
        shown.short_terms = wish.terms.iter().map(short_or_whole).collect();
        shown
    }
}
