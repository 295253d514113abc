//! One step ahead, by the worst reply: the strategy of the book's chapter.

use ludex::game::Answer;
use ludex::players::{Explorer, Joints, OptionInfo, Registry, Strategy, StrategyInfo, StrategyPlayer, Turn};

/// Tries each of its moves against every reply of the others, and takes the one whose worst reply does the least
/// harm.
struct WorstReply {
    /// What a state is worth that the rules give no value, 0 to 100.
    unknown: f64,
}

impl Strategy for WorstReply {
    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        let role = turn.arena.role;
        let mut explorer = Explorer::new(turn);
        let position = explorer.open(turn.state)?;
        for &action in turn.legal {
            let mut worst = 100.0_f64;
            let mut replies = Joints::replies(&position, role, action);
            while let Some(joint) = replies.next() {
                let next = explorer.successor(turn.state, joint)?;
                let opened = explorer.open(&next)?;
                let goal = f64::from(explorer.goal(&next, role)?);
                worst = worst.min(if opened.terminal { goal } else { goal.max(self.unknown) });
            }
            turn.value(action, worst);
            turn.note("nodes", explorer.nodes());
        }
        Ok(())
    }
}

/// The built-in strategies, and `worst-reply`.
pub fn registry() -> Registry {
    let info = StrategyInfo {
        name: "worst-reply",
        description: "the move whose worst reply does the least harm at once",
        options: &[OptionInfo { name: "unknown", default: "0", description: "what other states are worth" }],
    };
    Registry::default().with(info, |options, resources| {
        let strategy = WorstReply { unknown: options.get("unknown")? };
        Ok(Box::new(StrategyPlayer::new(strategy, resources)))
    })
}
