//! Running the command in a folder, for tests.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

/// Runs the command: the exit code, the output and the messages.
pub fn ludex(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("ludex").unwrap().current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The output of a command that does what it should.
pub fn fine(folder: &Path, arguments: &[&str]) -> String {
    let (code, out, errors) = ludex(folder, arguments);
    assert_eq!(code, 0, "{arguments:?}: {out}{errors}");
    out
}

pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// The names of an object's fields, in order.
pub fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}
