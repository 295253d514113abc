//! Terms without variables, each once.

use std::cmp::Ordering;
use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::super::text::syntax::{Comparison, Operation};

/// A term without variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Value(u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    Number(i64),
    Function(Box<str>, Box<[Value]>),
}

/// All terms that came up.
#[derive(Debug, Default)]
pub(super) struct Values {
    shapes: Vec<Shape>,
    ids: FxHashMap<Shape, Value>,
}

impl Values {
    pub(super) fn of(&mut self, shape: Shape) -> Value {
        if let Some(&value) = self.ids.get(&shape) {
            return value;
        }
        let value = Value(self.shapes.len() as u32);
        self.shapes.push(shape.clone());
        self.ids.insert(shape, value);
        value
    }

    pub(super) fn shape(&self, value: Value) -> &Shape {
        &self.shapes[value.0 as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.shapes.len()
    }

    pub(super) fn number(&self, value: Value) -> Option<i64> {
        if let Shape::Number(number) = self.shape(value) { Some(*number) } else { None }
    }

    /// Numbers come before names, and names before functions; functions with fewer arguments come first.
    fn compare(&self, one: Value, other: Value) -> Ordering {
        let mut open = vec![(one, other)];
        while let Some((one, other)) = open.pop() {
            let order = match (self.shape(one), self.shape(other)) {
                _ if one == other => Ordering::Equal,
                (Shape::Number(a), Shape::Number(b)) => a.cmp(b),
                (Shape::Number(_), Shape::Function(..)) => Ordering::Less,
                (Shape::Function(..), Shape::Number(_)) => Ordering::Greater,
                (Shape::Function(a, of_a), Shape::Function(b, of_b)) => {
                    let order = of_a.len().cmp(&of_b.len()).then_with(|| a.cmp(b));
                    if order.is_eq() {
                        open.extend(of_a.iter().copied().zip(of_b.iter().copied()).rev());
                    }
                    order
                }
            };
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }

    pub(super) fn holds(&self, comparison: Comparison, one: Value, other: Value) -> bool {
        let order = self.compare(one, other);
        match comparison {
            Comparison::Equal => order.is_eq(),
            Comparison::Different => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::AtMost => order.is_le(),
            Comparison::More => order.is_gt(),
            Comparison::AtLeast => order.is_ge(),
        }
    }

    /// None where that is not a number.
    pub(super) fn reckon(&mut self, operation: Operation, one: Value, other: Value) -> Option<Value> {
        let (a, b) = (self.number(one)?, self.number(other)?);
        let number = match operation {
            Operation::Plus => a.checked_add(b),
            Operation::Minus => a.checked_sub(b),
            Operation::Times => a.checked_mul(b),
            Operation::Divide => a.checked_div(b),
            Operation::Modulo => a.checked_rem(b),
        }?;
        Some(self.of(Shape::Number(number)))
    }

    /// Writes a value; values nest as deep as the terms of a program make them.
    pub(super) fn write(&self, value: Value, out: &mut String) {
        enum Part {
            Value(Value),
            Sign(char),
        }
        let mut open = vec![Part::Value(value)];
        while let Some(part) = open.pop() {
            match part {
                Part::Sign(sign) => out.push(sign),
                Part::Value(value) => match self.shape(value) {
                    // Writing to a string cannot fail.
                    Shape::Number(number) => drop(write!(out, "{number}")),
                    Shape::Function(name, arguments) => {
                        out.push_str(name);
                        if !arguments.is_empty() {
                            out.push('(');
                            open.push(Part::Sign(')'));
                            for (at, &argument) in arguments.iter().enumerate().rev() {
                                open.push(Part::Value(argument));
                                open.extend((at > 0).then_some(Part::Sign(',')));
                            }
                        }
                    }
                },
            }
        }
    }
}
