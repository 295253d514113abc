//! Where the system gives a process little memory (`ulimit -v`), a command makes do with that, or says that it cannot.
#![cfg(target_os = "linux")]

use std::path::PathBuf;
use std::process::Output;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;

/// Runs the command in so many bytes of addresses.
fn within(bytes: u64, arguments: &[&str]) -> Output {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/rulesheets");
    let mut command = Command::new("prlimit");
    command.arg(format!("--as={bytes}")).arg(cargo_bin("ludex")).args(arguments);
    command.current_dir(folder).output().unwrap()
}

/// Little, and still far more than the program itself takes.
const LITTLE: u64 = 300 << 20;

#[test]
fn players_keep_smaller_trees() {
    let clocks = ["--start-clock", "3s", "--play-clock", "1s", "--step-limit", "2", "--seed", "1", "--quiet"];
    for engine in ["auto", "rules"] {
        let play = ["play", "connect-four", "--all", "ludex", "--engine", engine];
        let output = within(LITTLE, &[&play[..], &clocks].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{engine}: {errors}");
    }
}

#[test]
fn rules_that_need_more_end_with_an_error() {
    for arguments in [&["play", "growing.kif"][..], &["play", "cross-product.kif"], &["perft", "growing.kif"]]
    {
        let output = within(LITTLE, &[arguments, &["--max-time", "200s"]].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {errors}");
        assert!(errors.contains("stopped at the memory limit"), "{arguments:?}: {errors}");
    }
}
