//! Nets as SVG documents.

use std::fmt::Write as _;

use ludex_gdl::Notation;

use super::TRUE;
use super::layers::{Layers, columns, parts};
use super::place::heights;
use super::route::{Route, Routes, TRACK, routes};
use super::shape::Shape;
use crate::net::{NodeId, Propnet};
use crate::simulate::Marking;

/// Room around the picture, and between two parts.
const MARGIN: f64 = 22.0;
/// Room between two columns, without what runs back there.
const GAP: f64 = 40.0;
/// Parts go into one row up to this width.
const PAGE: f64 = 640.0;

const INK: &str = "#2b2b2b";

/// A part of the net with the places of its items, the upper left corner at 0.
struct Part {
    layers: Layers,
    shapes: Vec<Option<Shape>>,
    y: Vec<f64>,
    /// Per column its left and right edge.
    edges: Vec<(f64, f64)>,
    column_of: Vec<usize>,
    routes: Routes,
    /// The lowest and highest line of the items.
    top: f64,
    bottom: f64,
    width: f64,
    height: f64,
}

/// See [`Propnet::draw_svg`].
pub(super) fn draw(net: &Propnet, notation: Notation, marking: Option<&Marking>) -> String {
    let column = columns(net);
    let answers = answers(net);
    let shape = |node: NodeId| {
        Shape::new(net, node, &answers, notation, marking.map(|marking| marking.is_true(node)))
    };
    let parts: Vec<Part> = parts(net).iter().map(|part| Part::new(net, part, &column, &shape)).collect();
    let page = parts.iter().map(|p| p.width).fold(PAGE, f64::max);
    let mut body = String::new();
    let (mut x, mut y, mut row, mut width) = (MARGIN, MARGIN, 0.0f64, 0.0f64);
    for part in &parts {
        if x > MARGIN && x + part.width > page + MARGIN {
            x = MARGIN;
            y += row + MARGIN;
            row = 0.0;
        }
        let _ = write!(body, "<g transform=\"translate({x:.1} {y:.1})\">");
        part.draw(&mut body);
        body.push_str("</g>\n");
        x += part.width + 1.5 * MARGIN;
        row = row.max(part.height);
        width = width.max(x - 0.5 * MARGIN);
    }
    let mut height = y + row + MARGIN;
    if marking.is_some() {
        let _ = writeln!(
            body,
            "<g><rect x=\"{MARGIN}\" y=\"{:.1}\" width=\"24\" height=\"14\" rx=\"7\" fill=\"{TRUE}\" \
             stroke=\"{INK}\"/><text x=\"{:.1}\" y=\"{:.1}\" font-size=\"12\" fill=\"{INK}\">true</text></g>",
            height - 7.0,
            MARGIN + 32.0,
            height + 4.2,
        );
        height += MARGIN;
        width = width.max(6.0 * MARGIN);
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"DejaVu Sans, Verdana, sans-serif\">\n\
         <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerWidth=\"8\" \
         markerHeight=\"8\" orient=\"auto\" markerUnits=\"userSpaceOnUse\"><path d=\"M0 0.8L8 4L0 7.2Z\" \
         fill=\"{INK}\"/></marker></defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fffdf8\"/>\n{body}</svg>\n"
    )
}

/// Which nodes answer a question: these have a double line.
fn answers(net: &Propnet) -> Vec<bool> {
    let mut answers = vec![false; net.node_count()];
    let legals = net.legals().iter().flatten().copied();
    let rewards = net.rewards().iter().flatten().map(|&(_, node)| node);
    let percepts = net.percepts().iter().flatten().map(|&(_, node)| node);
    let all = legals.chain(rewards).chain(percepts).chain([net.terminal()]);
    all.for_each(|node| answers[node.index()] = true);
    answers
}

impl Part {
    fn new(net: &Propnet, part: &[NodeId], column: &[usize], shape: &dyn Fn(NodeId) -> Shape) -> Self {
        let mut layers = Layers::new(net, part, column);
        layers.reduce_crossings();
        let shapes: Vec<Option<Shape>> = layers.items.iter().map(|item| item.node.map(shape)).collect();
        let height: Vec<f64> = shapes.iter().map(|s| s.as_ref().map_or(0.0, |s| s.height)).collect();
        let mut y = heights(&layers, &height);
        let routes = routes(&layers, &y);
        let extent = |sign: f64| {
            y.iter().zip(&height).map(|(y, h)| sign * (y + sign * h / 2.0)).fold(f64::NEG_INFINITY, f64::max)
        };
        let above = routes.above as f64 * TRACK;
        let (top, bottom) = (-extent(-1.0), extent(1.0));
        y.iter_mut().for_each(|y| *y += above - top);
        let (top, bottom) = (above, bottom - top + above);
        let mut column_of = vec![0; layers.items.len()];
        let mut edges = Vec::with_capacity(layers.columns.len());
        let mut x = 0.0;
        for (number, items) in layers.columns.iter().enumerate() {
            items.iter().for_each(|&item| column_of[item] = number);
            let width = |&item: &usize| shapes[item].as_ref().map_or(0.0, |s| s.width);
            let width = items.iter().map(width).fold(0.0, f64::max);
            x += routes.before[number] as f64 * TRACK;
            // Fans of many wires need room to bend.
            let fan = if number == 0 { 0.0 } else { (items.len() as f64 * 1.5).min(120.0) };
            x += fan;
            edges.push((x, x + width));
            x += width + routes.after[number] as f64 * TRACK + GAP;
        }
        let width = x - GAP + TRACK;
        let height = bottom + routes.below as f64 * TRACK;
        Self { layers, shapes, y, edges, column_of, routes, top, bottom, width, height }
    }

    fn draw(&self, out: &mut String) {
        let _ = write!(out, "<g fill=\"none\" stroke=\"{INK}\" stroke-width=\"1.1\">");
        for item in 0..self.layers.items.len() {
            self.draw_wires_to(item, out);
        }
        self.routes.routes.iter().for_each(|route| self.draw_route(route, out));
        out.push_str("</g>\n");
        for (item, shape) in self.shapes.iter().enumerate() {
            if let Some(shape) = shape {
                shape.draw(self.middle(item), self.y[item], out);
            }
        }
    }

    fn middle(&self, item: usize) -> f64 {
        let (left, right) = self.edges[self.column_of[item]];
        f64::midpoint(left, right)
    }

    /// The left and right end of an item; a wire passes through the whole column.
    fn ends(&self, item: usize) -> (f64, f64) {
        match &self.shapes[item] {
            Some(shape) => (self.middle(item) - shape.width / 2.0, self.middle(item) + shape.width / 2.0),
            None => self.edges[self.column_of[item]],
        }
    }

    /// The wires that end at an item, the uppermost at its uppermost port.
    fn draw_wires_to(&self, item: usize, out: &mut String) {
        let (column_left, column_right) = self.edges[self.column_of[item]];
        let mut from = self.layers.items[item].left.clone();
        from.sort_by(|&a, &b| self.y[a].total_cmp(&self.y[b]));
        for (at, &source) in from.iter().enumerate() {
            let (_, start) = self.ends(source);
            let (_, bend) = self.edges[self.column_of[source]];
            let (y, mut end) = (self.y[source], (column_right, self.y[item]));
            if let Some(shape) = &self.shapes[item] {
                let offset = shape.port(at, from.len());
                end = (self.ends(item).0 + shape.inset(offset), self.y[item] + offset);
            }
            let _ = write!(out, "<path d=\"M{start:.1} {y:.1}");
            if (y - end.1).abs() >= 0.5 {
                let half = f64::midpoint(bend, column_left);
                let _ = write!(
                    out,
                    "H{bend:.1}C{half:.1} {y:.1} {half:.1} {:.1} {column_left:.1} {:.1}",
                    end.1, end.1
                );
            }
            let arrow = if self.shapes[item].is_some() { " marker-end=\"url(#arrow)\"" } else { "" };
            let _ = write!(out, "H{:.1}\"{arrow}/>", end.0);
        }
    }

    fn draw_route(&self, route: &Route, out: &mut String) {
        let out_at = self.edges[self.column_of[route.from]].1 + (route.out as f64 + 1.0) * TRACK;
        let in_at = self.edges[self.column_of[route.to]].0 - (route.back as f64 + 1.0) * TRACK - 4.0;
        let line = (route.track as f64 + 1.0) * TRACK;
        let line = if route.above { self.top - line } else { self.bottom + line };
        let (start, y) = (self.ends(route.from).1, self.y[route.from]);
        let (end, target) = (self.ends(route.to).0, self.y[route.to]);
        // The corners are rounded by `r`, down or up.
        let r = 4.0;
        let (away, towards) = (if line < y { -r } else { r }, if line < target { r } else { -r });
        let _ = write!(
            out,
            "<path d=\"M{start:.1} {y:.1}H{:.1}Q{out_at:.1} {y:.1} {out_at:.1} {:.1}V{:.1}\
             Q{out_at:.1} {line:.1} {:.1} {line:.1}H{:.1}Q{in_at:.1} {line:.1} {in_at:.1} {:.1}V{:.1}\
             Q{in_at:.1} {target:.1} {:.1} {target:.1}H{end:.1}\" marker-end=\"url(#arrow)\"/>",
            out_at - r,
            y + away,
            line - away,
            out_at - r,
            in_at + r,
            line + towards,
            target - towards,
            in_at + r,
        );
    }
}
