//! Whether a question is worth asking.

/// Asked in full at first, so many times.
const TRIAL: u32 = 1 << 11;
/// After that one in so many is asked, to see whether things have changed.
const SELDOM: u32 = 32;

/// Counts how often a question helped, and says whether to go on asking: for shortcuts that save much
/// where they apply, and cost time where they do not. Counts decide, and no clock, so that equal seeds
/// still search equally.
#[derive(Clone, Debug)]
pub(crate) struct Gauge {
    /// It pays if at least one in so many answers helps.
    worth: u32,
    asked: u32,
    helped: u32,
    skipped: u32,
    is_on: bool,
}

impl Gauge {
    /// A question that pays if one in `worth` answers helps.
    pub(crate) fn new(worth: u32) -> Self {
        Self { worth, asked: 0, helped: 0, skipped: 0, is_on: true }
    }

    /// Whether to ask now.
    pub(crate) fn asks(&mut self) -> bool {
        if self.is_on {
            return true;
        }
        self.skipped += 1;
        if self.skipped < SELDOM {
            return false;
        }
        self.skipped = 0;
        true
    }

    /// Notes whether an answer helped.
    pub(crate) fn note(&mut self, helped: bool) {
        self.asked += 1;
        self.helped += u32::from(helped);
        let enough = if self.is_on { TRIAL } else { TRIAL / SELDOM };
        if self.asked >= enough {
            self.is_on = self.helped.saturating_mul(self.worth) >= self.asked;
            (self.asked, self.helped) = (0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many of some questions are asked, where one in `every` helps, in no order.
    fn asked(gauge: &mut Gauge, questions: u32, every: u32) -> u32 {
        let mut asked = 0;
        for number in 0..questions {
            if gauge.asks() {
                asked += 1;
                gauge.note((number.wrapping_mul(0x9e37_79b9) >> 16).is_multiple_of(every));
            }
        }
        asked
    }

    #[test]
    fn what_does_not_pay_is_asked_seldom_until_it_pays() {
        let mut gauge = Gauge::new(8);
        assert_eq!(asked(&mut gauge, 10_000, 4), 10_000);
        let few = asked(&mut gauge, 100_000, 1_000);
        assert!(few < 12_000, "{few}");
        let many = asked(&mut gauge, 100_000, 2);
        assert!(many > 80_000, "{many}");
    }
}
