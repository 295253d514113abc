//! A pack of cards that the role random deals.

use super::turns::ROLES;
use super::{Library, Need, Parameter, ParameterKind, Part, Relation, Value, Values, has_part};

pub(super) const LIBRARY: Library = Library {
    name: "cards",
    title: "Cards",
    explanation: "A card has a rank and a suit. Chance, the role random, deals one card in each step, to one player \
                  after the other, until all have their hands. Such a game is in GDL-II, where roles know nothing \
                  but what they are told: a player is told its own cards only.",
    parameters: &[
        ROLES,
        Parameter {
            name: "ranks",
            meaning: "how many ranks there are, from 1 on",
            kind: ParameterKind::Number { usual: 6, least: 1, most: 15 },
        },
        Parameter {
            name: "suits",
            meaning: "what the suits are",
            kind: ParameterKind::Names { usual: &["clubs", "hearts"], least: 1, most: 8 },
        },
        Parameter {
            name: "hand",
            meaning: "how many cards each player gets",
            kind: ParameterKind::Number { usual: 3, least: 1, most: 30 },
        },
    ],
    parts: &[
        Part {
            name: "rank",
            idea: "",
            relations: &[Relation::new("rank", &["C"], "C is a rank.")],
            asks: &[],
            builds_on: &[],
            rules: |values| (1..=values.number("ranks")).map(|n| format!("(rank {n})\n")).collect(),
        },
        Part {
            name: "suit",
            idea: "",
            relations: &[Relation::new("suit", &["S"], "S is a suit.")],
            asks: &[],
            builds_on: &[],
            rules: |values| values.names("suits").iter().map(|suit| format!("(suit {suit})\n")).collect(),
        },
        Part {
            name: "card",
            idea: "",
            relations: &[Relation::new("card", &["C", "S"], "there is a card of rank C and suit S.")],
            asks: &[],
            builds_on: &["rank", "suit"],
            rules: |_| "(<= (card ?c ?s) (rank ?c) (suit ?s))\n".into(),
        },
        Part {
            name: "beats",
            idea: "",
            relations: &[Relation::new("beats", &["C", "B"], "the rank C is higher than the rank B.")],
            asks: &[],
            builds_on: &["rank"],
            rules: |_| "(<= (beats ?c ?b) (rank ?b) (rank ?c) (less ?b ?c))\n".into(),
        },
        Part {
            name: "receives",
            idea: "",
            relations: &[Relation::new("receives", &["N", "R"], "after N cards, R is the next to get one.")],
            asks: &[],
            builds_on: &[],
            rules: |values| {
                let names = values.names("roles");
                let count = names.len() * values.number("hand") as usize;
                let receives = |(n, name)| format!("(receives {n} {name})\n");
                (0..count).zip(names.iter().cycle()).map(receives).collect()
            },
        },
        Part {
            name: "deal",
            idea: "The fact (dealt N) says that N cards have been dealt, (pack C S) that a card is still in the \
                   pack, (hand R C S) that R holds it. The players wait while cards are dealt, and chance waits \
                   afterwards.",
            relations: &[
                Relation::new("dealing", &[], "cards are still to be dealt."),
                Relation::new("gets", &["R", "C", "S"], "R is dealt this card."),
            ],
            asks: &[Relation::new(
                "puts_down",
                &["R", "C", "S"],
                "R puts this card down (the part play defines it).",
            )],
            builds_on: &["card", "receives"],
            rules: deal,
        },
        Part {
            name: "play",
            idea: "After that a player may play any card of its hand, which leaves it then. Who has none waits.",
            relations: &[
                Relation::new("has_card", &["R"], "R holds a card."),
                Relation::new("puts_down", &["R", "C", "S"], "R puts this card down."),
            ],
            asks: &[],
            builds_on: &["deal"],
            rules: |_| PLAY.into(),
        },
    ],
    needs,
    refusal,
};

fn deal(values: &Values) -> String {
    let count = values.names("roles").len() as u32 * values.number("hand");
    format!(
        "(role random)\n\
         (base (dealt 0))\n\
         (<= (base (dealt ?n)) (succ ?m ?n) (not (less {count} ?n)))\n\
         (<= (base (pack ?c ?s)) (card ?c ?s))\n\
         (<= (base (hand ?r ?c ?s)) (player ?r) (card ?c ?s))\n\
         (init (dealt 0))\n\
         (<= (init (pack ?c ?s)) (card ?c ?s))\n\
         (<= dealing (true (dealt ?n)) (receives ?n ?r))\n\
         (<= (input random (deal ?c ?s)) (card ?c ?s))\n\
         (<= (legal random (deal ?c ?s)) dealing (true (pack ?c ?s)))\n\
         (input random wait)\n\
         (<= (legal random wait) (not dealing))\n\
         (<= (input ?r wait) (player ?r))\n\
         (<= (legal ?r wait) (player ?r) dealing)\n\
         (<= (gets ?r ?c ?s) (does random (deal ?c ?s)) (true (dealt ?n)) (receives ?n ?r))\n\
         (<= (next (dealt ?n)) dealing (true (dealt ?m)) (succ ?m ?n))\n\
         (<= (next (dealt ?n)) (true (dealt ?n)) (not dealing))\n\
         (<= (next (pack ?c ?s)) (true (pack ?c ?s)) (not (does random (deal ?c ?s))))\n\
         (<= (next (hand ?r ?c ?s)) (gets ?r ?c ?s))\n\
         (<= (next (hand ?r ?c ?s)) (true (hand ?r ?c ?s)) (not (puts_down ?r ?c ?s)))\n\
         (<= (sees ?r (card ?c ?s)) (gets ?r ?c ?s))\n"
    )
}

const PLAY: &str = "\
(<= (has_card ?r) (true (hand ?r ?c ?s)))
(<= (input ?r (play ?c ?s)) (player ?r) (card ?c ?s))
(<= (legal ?r (play ?c ?s)) (true (hand ?r ?c ?s)) (not dealing))
(<= (legal ?r wait) (player ?r) (not dealing) (not (has_card ?r)))
(<= (puts_down ?r ?c ?s) (does ?r (play ?c ?s)))
";

fn needs(values: &Values, parts: &[&Part]) -> Vec<Need> {
    let mut needs = Vec::new();
    let count = values.names("roles").len() as u32 * values.number("hand");
    let mut numbers = Vec::new();
    let mut max = values.number("ranks");
    if has_part(parts, &["beats"]) {
        numbers.push("less");
    }
    if has_part(parts, &["deal"]) {
        numbers.extend(["succ", "less"]);
        max = max.max(count);
        let roles = Value::Names(values.names("roles").to_vec());
        needs.push(Need { library: "turns", parts: vec!["player"], values: vec![("roles", roles)] });
    }
    if !numbers.is_empty() {
        needs.push(Need { library: "numbers", parts: numbers, values: vec![("max", Value::Number(max))] });
    }
    needs
}

fn refusal(values: &Values) -> Option<String> {
    let cards = values.number("ranks") as usize * values.names("suits").len();
    let dealt = values.names("roles").len() * values.number("hand") as usize;
    (dealt > cards).then(|| format!("{dealt} cards are dealt, and there are {cards}"))
}
