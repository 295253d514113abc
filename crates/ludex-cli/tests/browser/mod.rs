//! The pages of `ludex serve` in a browser: what only shows where scripts run, events come in and somebody
//! clicks.
//!
//! Each test has a server, a Chromium without a window and an empty folder for itself. Where there is no
//! Chromium or no `chromedriver`, tests say so and pass; `LUDEX_BROWSER=required` makes that a failure,
//! `LUDEX_BROWSER=skip` skips them anyway. With `LUDEX_SCREENSHOTS=FOLDER` they leave pictures of pages there.

mod analysis;
mod driver;
mod editor;
mod games;
mod known;
mod library;
mod pages;
mod playing;
mod real_time;
mod records;
mod replay;
mod scheduling;
mod session;
mod tournaments;
mod watching;
