//! The web side of the Game Manager, without sockets: every page and path, what keeps others out, and what is
//! told to whom.

mod accounts;
mod analysis;
mod api;
mod drafts;
mod failures;
mod guards;
mod hostile_names;
mod known;
mod library;
mod metrics;
mod pages;
mod programs;
mod ratings;
mod readable;
mod records;
mod seats;
mod slow;
mod support;
mod tournaments;
