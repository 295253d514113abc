//! Circuits where not everything is known: true, false, or not known.

use ludex_logic::{LimitError, Meter};
use ludex_propnet::{Circuit, Edge, Gate};

/// What follows for each gate from what is known of bases and moves. `input` is asked for a role and the
/// position of a move. What a recursion comes to is taken as not known.
///
/// # Errors
/// When the budget is spent.
pub(crate) fn gates(
    circuit: &Circuit,
    base: impl Fn(u32) -> Option<bool>,
    input: impl Fn(u32, u32) -> Option<bool>,
    meter: &mut Meter,
) -> Result<Vec<Option<bool>>, LimitError> {
    let mut values: Vec<Option<bool>> = Vec::with_capacity(circuit.gates.len());
    for gate in &circuit.gates {
        let value = match gate {
            Gate::False => Some(false),
            Gate::Base(number) => base(*number),
            Gate::Input(role, number) => input(*role, *number),
            Gate::Feedback(_) => None,
            Gate::And(edges) => {
                meter.spend(edges.len() as u64)?;
                let mut all = Some(true);
                for &edge in edges {
                    match edge_value(&values, edge) {
                        Some(true) => {}
                        Some(false) => {
                            all = Some(false);
                            break;
                        }
                        None => all = None,
                    }
                }
                all
            }
        };
        values.push(value);
    }
    Ok(values)
}

/// The value of an edge, by those of the gates.
pub(crate) fn edge_value(values: &[Option<bool>], edge: Edge) -> Option<bool> {
    values[edge.gate().index()].map(|value| value != edge.is_complemented())
}
