//! The states of a proof-number search: a graph, because different moves may lead to one state.

use ludex_game::{ActionId, Goal, StateNumber, StateTable};
use smallvec::SmallVec;

use super::numbers::{NEVER, Numbers, Prizes, QUESTIONS, Range};
use super::sweep::SWEEP_BYTES;

/// The number of a state in the graph.
pub(crate) type ProofId = StateNumber;

/// Where the children of states begin that were not expanded.
pub(super) const NONE: u32 = u32::MAX;
/// What finding states takes for each: up to four slots, and where its words end.
const TABLE_BYTES: usize = 4 * size_of::<u64>() + size_of::<u32>();
/// Descents are no longer than this.
const DEEPEST: usize = 1000;
/// A state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Where its moves begin: one for each role, of which that of the mover says nothing, then those of the mover.
    pub moves: u32,
    /// How many moves the mover has.
    pub count: u32,
    /// Where its children begin, in the order of the moves; [`NONE`] before they are known.
    pub children: u32,
    /// The descent that came by last, so that no descent goes in circles.
    stamp: u32,
    /// The descents that came by: what it would cost to find out again what is known of it.
    pub work: u32,
    mover: u8,
    /// Whether the role that is asked about moves.
    is_own: bool,
    /// Whether a descent that is under way wants its children.
    is_wanted: bool,
}

/// A state as it is added.
pub(super) struct NewState<'n> {
    pub words: &'n [u64],
    /// At an end of the game, the goal of the role that is asked about.
    pub end: Option<Goal>,
    /// The only role with a choice, or any role where none has one; `None` where it cannot be said what follows.
    pub mover: Option<usize>,
}

/// Whether the role that is asked about gets at least prize `number + 1` in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Question {
    pub of: ProofId,
    pub number: usize,
}

/// How a descent ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Descent {
    /// At a state whose children are wanted.
    At(ProofId),
    /// It found something out on its way, so that the next one may go elsewhere.
    Wiser,
    /// It came to a state that another is working on, or went in a circle.
    InVain,
}

/// The states that were looked at.
#[derive(Debug)]
pub(crate) struct ProofGraph {
    prizes: Prizes,
    /// The role that is asked about.
    role: usize,
    roles: usize,
    /// Bytes it may take.
    limit: usize,
    pub(super) nodes: StateTable<Node>,
    /// Per state, beside the nodes because they are looked at most.
    pub(super) numbers: Vec<[Numbers; QUESTIONS]>,
    pub(super) moves: Vec<ActionId>,
    pub(super) children: Vec<ProofId>,
    pub(super) root: ProofId,
    descents: u32,
    /// Waves that are under way.
    pub(super) batches: u32,
    /// States that were added in all, also those that were forgotten since.
    examined: u64,
    /// States that were worked out since somebody asked for them last.
    pub(super) answered: Vec<ProofId>,
    /// Whether one of the lists has no room for more.
    pub(super) is_full: bool,
    /// Whether there was an end of the game with a goal that was not expected: nothing is certain then.
    is_odd: bool,
}

/// Whether so many entries fit into a list as it is.
fn has_room<T>(list: &Vec<T>, more: usize) -> bool {
    list.len() + more <= list.capacity()
}

impl ProofGraph {
    /// A graph of at most so many bytes, for questions about this role in a game with so many roles.
    pub fn new(prizes: Prizes, role: usize, roles: usize, limit: usize) -> Self {
        Self {
            prizes,
            role,
            roles,
            limit,
            nodes: StateTable::default(),
            numbers: Vec::new(),
            moves: Vec::new(),
            children: Vec::new(),
            root: NONE,
            descents: 0,
            batches: 0,
            examined: 0,
            answered: Vec::new(),
            is_full: false,
            is_odd: false,
        }
    }

    /// The role that is asked about, and its prizes.
    pub fn asks(&self) -> (usize, &Prizes) {
        (self.role, &self.prizes)
    }

    /// How many roles there are.
    pub(super) fn roles(&self) -> usize {
        self.roles
    }

    /// How many states are known.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How many states were looked at in all: those that were forgotten and met again count each time.
    pub fn examined(&self) -> u64 {
        self.examined
    }

    /// How many states there is room for.
    #[cfg(test)]
    pub fn capacity(&self) -> usize {
        self.nodes.capacity().0
    }

    /// Bytes in use.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        size_of_val(self.nodes.values())
            + size_of_val(&self.numbers[..])
            + self.nodes.total_words() * size_of::<u64>()
            + size_of_val(&self.moves[..])
            + size_of_val(&self.children[..])
            + self.nodes.len() * TABLE_BYTES
    }

    /// Whether nothing more should be added.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Whether an end of the game was met with a goal that was not expected: then nothing is certain, and nothing was.
    pub fn is_odd(&self) -> bool {
        self.is_odd
    }

    /// Takes the memory that there is, in shares that suit states of so many words and moves. All of it is taken at
    /// once: untouched it costs nothing, while moving large lists to let them grow would cost a move its time.
    fn reserve(&mut self, words: usize, moves: usize) {
        let moves = self.roles + moves;
        let bytes = size_of::<Node>()
            + size_of::<[Numbers; QUESTIONS]>()
            + words * size_of::<u64>()
            + moves * (size_of::<ActionId>() + size_of::<ProofId>())
            + TABLE_BYTES
            + SWEEP_BYTES;
        let nodes = (self.limit / bytes).min(NONE as usize / 4 / words.max(moves));
        self.nodes = StateTable::with_capacity(nodes, nodes * words);
        self.numbers = Vec::with_capacity(nodes);
        self.moves = Vec::with_capacity(nodes * moves);
        self.children = Vec::with_capacity(nodes * moves);
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.numbers.clear();
        self.moves.clear();
        self.children.clear();
        self.answered.clear();
        self.is_full = false;
    }

    /// Makes a state the root; `legal` gives the legal moves of each role. What is known is kept, unless the state is
    /// new and there is no room for it.
    pub fn set_root<'l>(&mut self, words: &[u64], legal: impl Fn(usize) -> &'l [ActionId]) {
        let mover = mover(self.roles, &legal);
        if self.nodes.capacity().0 == 0 {
            self.reserve(
                words.len().max(1),
                (0..self.roles).map(|role| legal(role).len()).max().unwrap_or(0),
            );
        }
        let new = NewState { words, end: None, mover };
        self.root = match self.add(&new, &legal) {
            Some(root) => root,
            None => {
                self.clear();
                self.add(&new, &legal).unwrap_or(NONE)
            }
        };
        // No batch outlives a turn.
        self.batches = 0;
        self.give_moves(&new, &legal);
    }

    /// Gives the root its moves again, which states that are worked out lose when room is made.
    fn give_moves<'l>(&mut self, new: &NewState<'_>, legal: &impl Fn(usize) -> &'l [ActionId]) {
        let (Some(mover), Some(root)) = (new.mover, self.nodes.values().get(self.root as usize)) else {
            return;
        };
        let count = legal(mover).len();
        if root.count > 0 || !has_room(&self.moves, self.roles + count) {
            return;
        }
        let begin = self.moves.len() as u32;
        self.moves.extend((0..self.roles).map(|role| legal(role)[0]));
        self.moves.extend_from_slice(legal(mover));
        let root = self.nodes.value_mut(self.root);
        (root.moves, root.count) = (begin, count as u32);
    }

    /// The state of this number.
    pub fn state(&self, id: ProofId) -> &[u64] {
        self.nodes.words(id)
    }

    /// The number of a state.
    pub fn find(&self, words: &[u64]) -> Option<ProofId> {
        self.nodes.find(words)
    }

    /// What is known of a state.
    pub fn range(&self, id: ProofId) -> Range {
        let mut range = Range { least: None, most: None };
        if self.is_odd {
            return range;
        }
        let Prizes(prizes) = &self.prizes;
        let numbers = &self.numbers[id as usize][..self.prizes.questions()];
        for (question, numbers) in numbers.iter().enumerate() {
            if numbers.proof == 0 {
                range.least = Some(prizes[question + 1]);
            }
            if numbers.disproof == 0 && range.most.is_none() {
                range.most = Some(prizes[question]);
            }
        }
        if range.most == prizes.first().copied() {
            range.least = range.most;
        }
        if range.least == prizes.last().copied() {
            range.most = range.least;
        }
        range
    }

    /// Whether all is known of a state.
    pub(super) fn is_answered(&self, id: ProofId) -> bool {
        self.numbers[id as usize][..self.prizes.questions()].iter().all(|numbers| numbers.is_answered())
    }

    /// What is known of the states that the moves of the root lead to, in the order of the moves of the role that
    /// moves there; nothing as long as it was not expanded.
    pub fn ranges_below_root(&self) -> impl Iterator<Item = Range> + '_ {
        let node = self.nodes.values().get(self.root as usize).filter(|node| node.children != NONE);
        let children =
            node.map_or(&[][..], |node| &self.children[node.children as usize..][..node.count as usize]);
        children.iter().map(|&child| self.range(child))
    }

    /// How the game goes on from a state whose value is known, where both take what they can force: the joint moves,
    /// as far as they were looked at.
    pub fn line(&self, from: ProofId) -> Vec<Vec<ActionId>> {
        let mut line = Vec::new();
        let mut id = from;
        while let Range { least: Some(least), most: Some(most) } = self.range(id) {
            let node = self.nodes.value(id);
            if least != most || node.children == NONE || line.len() >= DEEPEST {
                break;
            }
            let children = &self.children[node.children as usize..][..node.count as usize];
            // Who moves can be sure of the value; the other moves may be worth less, or not be known.
            let keeps = |&child: &ProofId| {
                let range = self.range(child);
                if node.is_own { range.least == Some(least) } else { range.most == Some(most) }
            };
            let Some(number) = children.iter().position(keeps) else { break };
            let mut joints = 0..;
            self.joints(id, |joint| {
                if joints.next() == Some(number) {
                    line.push(joint.to_vec());
                }
            });
            id = children[number];
        }
        line
    }

    /// The states that were worked out, or partly so, since this was asked last.
    pub fn take_answered(&mut self, out: &mut Vec<ProofId>) {
        out.clear();
        out.append(&mut self.answered);
    }

    /// The question that seems easiest to answer, and of which state: of the root, and where all are answered there,
    /// which of its moves keep what the role that is asked about can get. `None` where all is answered, or cannot be.
    pub(super) fn question(&self) -> Option<Question> {
        if self.root == NONE || self.is_odd {
            return None;
        }
        let questions = self.prizes.questions();
        let of_root = easiest((0..questions).map(|number| (self.root, number)), self);
        if !self.is_answered(self.root) {
            return of_root;
        }
        let root = self.nodes.value(self.root);
        let kept = self.range(self.root).least.filter(|_| root.is_own && root.count > 1)?;
        let number = self.prizes.0.iter().position(|&prize| prize == kept)?.checked_sub(1)?;
        if root.children == NONE {
            return Some(Question { of: self.root, number });
        }
        let children = &self.children[root.children as usize..][..root.count as usize];
        easiest(children.iter().map(|&child| (child, number)), self)
    }

    /// Goes down to the state that is wanted most for an answer, and appends the way to `path`; nothing is
    /// appended where there is none.
    pub(super) fn descend(
        &mut self,
        Question { of, number: question }: Question,
        path: &mut Vec<ProofId>,
    ) -> Descent {
        let begin = path.len();
        self.descents = self.descents.wrapping_add(1).max(1);
        let mut id = of;
        let is_wiser = loop {
            path.push(id);
            let work = &mut self.nodes.value_mut(id).work;
            *work = work.saturating_add(1);
            let stamp = std::mem::replace(&mut self.nodes.value_mut(id).stamp, self.descents);
            let node = *self.nodes.value(id);
            if node.children == NONE {
                if node.count == 0 {
                    // An end, or a state after which nothing can be said: what is above does not know yet.
                    let above = path.len() - 1;
                    break self.update(question, &path[begin..above]);
                }
                for numbers in &mut self.numbers[id as usize] {
                    *numbers = numbers.harder();
                }
                self.nodes.value_mut(id).is_wanted = true;
                let above = path.len() - 1;
                self.update(question, &path[begin..above]);
                if !node.is_wanted {
                    return Descent::At(id);
                }
                break false;
            }
            let (numbers, best) = self.judge(id, question);
            let is_new = self.note(id, question, numbers);
            if numbers.is_answered() || numbers == Numbers::UNKNOWABLE {
                let above = path.len() - 1;
                break self.update(question, &path[begin..above]) || is_new;
            }
            if stamp == self.descents || path.len() - begin > DEEPEST {
                break false;
            }
            id = best;
        };
        path.truncate(begin);
        if is_wiser { Descent::Wiser } else { Descent::InVain }
    }

    /// The numbers of an expanded state from those of its children, and the child to go on with: the one that
    /// the mover attains with least work.
    ///
    /// What all children together need would be their sum, but in a graph the same states are behind many of
    /// them. So it is the most that one of them needs, and one for each other (weak proof-number search: Ueda,
    /// Hashimoto, Hashimoto and Iida, 2008).
    fn judge(&self, id: ProofId, question: usize) -> (Numbers, ProofId) {
        let node = self.nodes.value(id);
        let (mut least, mut best) = ((NEVER, NEVER), NONE);
        let (mut most, mut open) = (0u32, 0u32);
        for &child in &self.children[node.children as usize..][..node.count as usize] {
            let (attained, prevented) = self.numbers[child as usize][question].seen(node.is_own);
            if (attained, prevented) < least || best == NONE {
                (least, best) = ((attained, prevented), child);
            }
            most = most.max(prevented);
            open += u32::from(prevented > 0);
        }
        let prevented = match most {
            NEVER => NEVER,
            most => most.saturating_add(open.saturating_sub(1)).min(NEVER - 1),
        };
        (Numbers::of_seen((least.0, prevented), node.is_own), best)
    }

    /// Enters numbers; whether they are new. What is answered stays so, also where the states are forgotten that
    /// said so.
    fn note(&mut self, id: ProofId, question: usize, numbers: Numbers) -> bool {
        let known = &mut self.numbers[id as usize][question];
        if *known == numbers || known.is_answered() {
            return false;
        }
        *known = numbers;
        if numbers.is_answered() {
            self.answered.push(id);
        }
        true
    }

    /// Carries numbers up a way, as far as anything changes; whether anything does.
    pub(super) fn update(&mut self, question: usize, path: &[ProofId]) -> bool {
        let mut is_new = false;
        for &id in path.iter().rev() {
            let (numbers, _) = self.judge(id, question);
            if !self.note(id, question, numbers) {
                break;
            }
            is_new = true;
        }
        is_new
    }

    /// The moves of a state: one joint move for each move of the mover.
    pub(super) fn joints(&self, id: ProofId, mut each: impl FnMut(&[ActionId])) {
        let node = self.nodes.value(id);
        let moves = &self.moves[node.moves as usize..][..self.roles + node.count as usize];
        let (fixed, own) = moves.split_at(self.roles);
        let mut joint: SmallVec<[ActionId; 4]> = SmallVec::from_slice(fixed);
        for &action in own {
            joint[usize::from(node.mover)] = action;
            each(&joint);
        }
    }

    /// Adds a state, or finds it; `None` where there is no room for it. `legal` gives the legal moves of each role.
    pub(super) fn add<'l>(
        &mut self,
        new: &NewState<'_>,
        legal: impl Fn(usize) -> &'l [ActionId],
    ) -> Option<ProofId> {
        if let Some(known) = self.nodes.find(new.words) {
            return Some(known);
        }
        let most = new.mover.map_or(0, |mover| self.roles + legal(mover).len());
        if self.nodes.growth(new.words.len()) > 0 || !has_room(&self.moves, most) {
            self.is_full = true;
            return None;
        }
        let begin = self.moves.len() as u32;
        let (mut count, mut numbers) = (0, [Numbers::UNKNOWABLE; QUESTIONS]);
        let is_own = new.mover == Some(self.role);
        if let Some(goal) = new.end {
            numbers = self.answers(goal);
        } else if let Some(mover) = new.mover {
            self.moves.extend((0..self.roles).map(|role| legal(role)[0]));
            self.moves.extend_from_slice(legal(mover));
            count = legal(mover).len() as u32;
            // Whoever moves needs one good move; to prevent it, all have to be answered.
            numbers = [Numbers::of_seen((1, count), is_own); QUESTIONS];
        }
        self.numbers.push(numbers);
        self.examined += 1;
        let node = Node {
            moves: begin,
            count,
            children: NONE,
            stamp: 0,
            work: 0,
            mover: new.mover.unwrap_or(0) as u8,
            is_own,
            is_wanted: false,
        };
        self.nodes.add(new.words, node)
    }

    /// The answers at an end of the game.
    fn answers(&mut self, goal: Goal) -> [Numbers; QUESTIONS] {
        let Prizes(prizes) = &self.prizes;
        self.is_odd |= !prizes.iter().any(|&prize| Goal::from(prize) == goal);
        let reached =
            |question: usize| prizes.get(question + 1).is_some_and(|&least| goal >= Goal::from(least));
        std::array::from_fn(|question| if reached(question) { Numbers::YES } else { Numbers::NO })
    }

    /// Enters the children of a state, in the order of its moves; where there is no room for them, it stays as it was.
    pub(super) fn expand(&mut self, id: ProofId, children: &[ProofId]) {
        if children.len() < self.nodes.value(id).count as usize || !has_room(&self.children, children.len()) {
            self.is_full = true;
            return self.forgo(id);
        }
        let begin = self.children.len() as u32;
        self.children.extend_from_slice(children);
        let node = self.nodes.value_mut(id);
        node.children = begin;
        node.is_wanted = false;
        for question in 0..self.prizes.questions() {
            let (numbers, _) = self.judge(id, question);
            self.note(id, question, numbers);
        }
    }

    /// Nobody is working on a state any more, and its children did not become known.
    pub(super) fn forgo(&mut self, id: ProofId) {
        let node = self.nodes.value_mut(id);
        node.is_wanted = false;
        let anew = Numbers::of_seen((1, node.count), node.is_own);
        for known in self.numbers[id as usize].iter_mut().filter(|known| !known.is_answered()) {
            *known = anew;
        }
    }
}

/// The question that seems easiest to answer of these, of those that can be; each is of a state, and has a number.
fn easiest(questions: impl Iterator<Item = (ProofId, usize)>, graph: &ProofGraph) -> Option<Question> {
    let numbers = |of: ProofId, number: usize| graph.numbers[of as usize][number];
    let work = |numbers: Numbers| (numbers.proof.min(numbers.disproof), numbers.proof.max(numbers.disproof));
    let open = questions.filter(|&(of, number)| {
        let numbers = numbers(of, number);
        !numbers.is_answered() && work(numbers).0 < NEVER
    });
    let easiest = open.min_by_key(|&(of, number)| work(numbers(of, number)));
    easiest.map(|(of, number)| Question { of, number })
}

/// The only role with a choice, or the first where none has one; `None` where several have one, or where a role
/// cannot move at all.
pub(super) fn mover<'l>(roles: usize, legal: &impl Fn(usize) -> &'l [ActionId]) -> Option<usize> {
    if (0..roles).any(|role| legal(role).is_empty()) {
        return None;
    }
    let mut choosers = (0..roles).filter(|&role| legal(role).len() > 1);
    let mover = choosers.next().unwrap_or(0);
    choosers.next().is_none().then_some(mover)
}
