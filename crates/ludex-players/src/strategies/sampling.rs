//! The strategy `sampling`.

use crate::registry::BuiltIn;
use crate::strategy::Resources;

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "sampling",
    description: "a sample of the possible states, each played as if it were known (17.7), by ludex or by another \
                  strategy: sampling:uct",
    options: &[],
    make: |_, resources| crate::create("ludex", &Resources { plain_sampling: true, ..resources.clone() }),
};
