//! Rulesheets as servers and repositories hold them: in XML or JSON, with other things about the game beside them, and in
//! archives of many.
//!
//! - JSON of the GGP ecosystem (Tiltyard): a game with its rules in `theRulesheet`, or `METADATA` whose `rulesheet` names the
//!   file beside it.
//! - XML of the Dresden server and its relatives: an element whose text is a rulesheet.
//! - ZIP and tar archives, and folders with `METADATA`; all of them may be compressed with gzip.
//!
//! Where there are several games, `FILE#NAME` is one of them.

use std::io::{Cursor, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;

use crate::failure::Failure;

/// So many games are named where it is not said which one is meant.
const MOST_NAMES: usize = 20;
/// What is read beside rulesheets has at most so many bytes.
const MOST_METADATA: usize = 1 << 20;

/// The endings of files with rules.
const RULES: [&str; 4] = ["kif", "gdl", "hrf", "rules"];

/// A game that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    name: String,
    text: String,
}

/// The file and the name of the game that an argument names: `FILE#NAME`, where there is no file of that name.
pub fn file_and_game(argument: &str) -> (&str, Option<&str>) {
    match argument.rsplit_once('#') {
        Some((file, game)) if !Path::new(argument).exists() && Path::new(file).exists() => (file, Some(game)),
        _ => (argument, None),
    }
}

/// The rulesheet in some bytes, with what to call it, where these are more than a rulesheet; `None` for anything else.
///
/// # Errors
/// There is no rulesheet in it or not the one that is meant, or it cannot be decompressed.
pub fn rulesheet(
    file: &str,
    bytes: &[u8],
    game: Option<&str>,
    most: usize,
) -> Result<Option<(String, String)>, Failure> {
    let Some(found) = games(file, bytes, most)? else {
        return match game {
            Some(game) => Err(Failure::input(format!("`{file}` is one rulesheet, and has no game `{game}`"))),
            None => Ok(None),
        };
    };
    choose(file, found, game).map(|found| Some((format!("{file}#{}", found.name), found.text)))
}

/// The rulesheet of a folder with `METADATA`, as repositories have them.
///
/// # Errors
/// What is there cannot be read.
pub fn file_of_folder(folder: &str) -> Option<String> {
    let metadata = std::fs::read_to_string(Path::new(folder).join("METADATA")).ok()?;
    let name = rulesheet_name(&serde_json::from_str(&metadata).ok()?)?;
    Some(Path::new(folder).join(name).to_string_lossy().into_owned())
}

/// The file beside some metadata that has the rules.
pub fn file_of_metadata(file: &str, bytes: &[u8]) -> Option<String> {
    if !bytes.trim_ascii_start().starts_with(b"{") || bytes.len() > MOST_METADATA {
        return None;
    }
    let name = rulesheet_name(&serde_json::from_slice(bytes).ok()?)?;
    let beside = Path::new(file).parent().unwrap_or_else(|| Path::new("")).join(name);
    beside.is_file().then(|| beside.to_string_lossy().into_owned())
}

fn choose(file: &str, found: Vec<Found>, game: Option<&str>) -> Result<Found, Failure> {
    let names = |found: &[Found]| {
        let names: Vec<&str> = found.iter().take(MOST_NAMES).map(|one| one.name.as_str()).collect();
        let more = if found.len() > MOST_NAMES { ", ..." } else { "" };
        format!("its games are {}{more}", names.join(", "))
    };
    if found.is_empty() {
        return Err(Failure::input(format!("there is no rulesheet in `{file}`")));
    }
    match game {
        None if found.len() == 1 => found.into_iter().next().ok_or_else(|| Failure::input(String::new())),
        None => Err(Failure::input(format!("`{file}` has {} games", found.len()))
            .hint(format!("`{file}#NAME` is one of them: {}", names(&found)))),
        Some(game) => match found.iter().position(|one| one.name == game) {
            Some(place) => Ok(found[place].clone()),
            None => Err(Failure::input(format!("there is no game `{game}` in `{file}`")).hint(names(&found))),
        },
    }
}

/// The games in some bytes that are no plain rulesheet; `None` for those that may be one.
fn games(file: &str, bytes: &[u8], most: usize) -> Result<Option<Vec<Found>>, Failure> {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        let mut decoder = MultiGzDecoder::new(bytes).take(most as u64 + 1);
        decoder.read_to_end(&mut plain).map_err(|error| wrong(file, "decompressed", &error))?;
        if plain.len() > most {
            return Err(Failure::input(format!(
                "`{file}` is longer than any rulesheet when it is decompressed"
            )));
        }
        return Ok(Some(match games(file, &plain, most)? {
            Some(found) => found,
            None => vec![Found { name: stem(file), text: text_of(file, plain)? }],
        }));
    }
    if bytes.starts_with(b"PK\x03\x04") {
        return of_files(zip_files(file, bytes, most)?).map(Some);
    }
    if bytes.get(257..262) == Some(b"ustar") {
        return of_files(tar_files(file, bytes)?).map(Some);
    }
    let start = bytes.trim_ascii_start();
    if start.starts_with(b"<?xml") || (start.starts_with(b"<") && !start.starts_with(b"<=")) {
        return Ok(Some(of_xml(file, bytes)?));
    }
    if start.starts_with(b"{") || start.starts_with(b"[") {
        let value = serde_json::from_slice(bytes).map_err(|error| wrong(file, "read", &error))?;
        let mut found = Vec::new();
        of_json(&value, &stem(file), &mut found, 0);
        return Ok(Some(found));
    }
    Ok(None)
}

fn wrong(file: &str, what: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::input(format!("`{file}` cannot be {what}: {error}"))
}

fn text_of(file: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|_| Failure::input(format!("a rulesheet in `{file}` is not UTF-8 text")))
}

/// The name of a file without folders and endings.
fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.split('.').next().unwrap_or(name).to_owned()
}

/// Whether a text has a rule or fact for `role`, as every rulesheet has.
fn is_rulesheet(text: &str) -> bool {
    ["(role ", "( role ", "role(", "(ROLE "].iter().any(|sign| text.contains(sign))
}

/// The games in the files of an archive.
fn of_files(files: Vec<(String, Vec<u8>)>) -> Result<Vec<Found>, Failure> {
    let mut found = Vec::new();
    let mut claimed = Vec::new();
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    for (path, bytes) in files.iter().filter(|(path, _)| path.rsplit('/').next() == Some("METADATA")) {
        let Ok(value) = serde_json::from_slice(bytes) else { continue };
        let Some(name) = rulesheet_name(&value) else { continue };
        let parent = folder(path);
        let rules = if parent.is_empty() { name } else { format!("{parent}/{name}") };
        if let Some((_, text)) = files.iter().find(|(other, _)| *other == rules) {
            claimed.push(rules.clone());
            found.push(Found { name: stem(&parent), text: text_of(&rules, text.clone())? });
        }
    }
    for (path, bytes) in &files {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        if RULES.contains(&ending) && !claimed.contains(path) {
            found.push(Found { name: stem(path), text: text_of(path, bytes.clone())? });
        } else if ending == "json"
            && let Ok(value) = serde_json::from_slice(bytes)
        {
            of_json(&value, &stem(path), &mut found, 0);
        } else if ending == "xml" {
            found.extend(of_xml(path, bytes)?);
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// Whether a file of an archive may have to do with rules.
fn is_wanted(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    name == "METADATA" || RULES.contains(&ending) || matches!(ending, "json" | "xml")
}

fn zip_files(file: &str, bytes: &[u8], most: usize) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut archive =
        zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| wrong(file, "unpacked", &error))?;
    let mut files = Vec::new();
    let mut room = most;
    for place in 0..archive.len() {
        let entry = archive.by_index(place).map_err(|error| wrong(file, "unpacked", &error))?;
        let path = entry.name().map_err(|error| wrong(file, "unpacked", &error))?.into_owned();
        if !entry.is_file() || !is_wanted(&path) {
            continue;
        }
        let mut plain = Vec::new();
        entry
            .take(room as u64 + 1)
            .read_to_end(&mut plain)
            .map_err(|error| wrong(file, "unpacked", &error))?;
        room = room.checked_sub(plain.len()).ok_or_else(|| too_large(file))?;
        files.push((path, plain));
    }
    Ok(files)
}

fn too_large(file: &str) -> Failure {
    Failure::input(format!("the rulesheets in `{file}` are more than can be read at once"))
        .hint("unpack it, and name the file of one game")
}

fn tar_files(file: &str, bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut archive = tar::Archive::new(bytes);
    let mut files = Vec::new();
    for entry in archive.entries().map_err(|error| wrong(file, "unpacked", &error))? {
        let mut entry = entry.map_err(|error| wrong(file, "unpacked", &error))?;
        let path =
            entry.path().map_err(|error| wrong(file, "unpacked", &error))?.to_string_lossy().into_owned();
        if !entry.header().entry_type().is_file() || !is_wanted(&path) {
            continue;
        }
        // The archive is in memory, and its files are parts of it.
        let mut plain = Vec::new();
        entry.read_to_end(&mut plain).map_err(|error| wrong(file, "unpacked", &error))?;
        files.push((path, plain));
    }
    Ok(files)
}

/// The file that metadata names for the rules; what is outside of its folder is not looked at.
fn rulesheet_name(metadata: &Value) -> Option<String> {
    let name = metadata.get("rulesheet")?.as_str()?;
    let name = name.rsplit(['/', '\\']).next()?;
    (!name.is_empty() && !is_rulesheet(name)).then(|| name.to_owned())
}

/// The rulesheets in JSON, each with the name beside it.
fn of_json(value: &Value, name: &str, found: &mut Vec<Found>, depth: usize) {
    // The reader of JSON refuses what is nested deeper.
    if depth > 128 {
        return;
    }
    match value {
        Value::Object(entries) => {
            let named = ["theKey", "key", "name", "gameName", "theName"];
            let own = named.iter().find_map(|key| entries.get(*key)?.as_str()).filter(|own| !own.is_empty());
            for (key, value) in entries {
                match value {
                    Value::String(text)
                        if is_rulesheet(text) && key != "description" && key != "theDescription" =>
                    {
                        found.push(Found { name: own.unwrap_or(name).to_owned(), text: text.clone() });
                    }
                    Value::Object(_) | Value::Array(_) => of_json(value, key, found, depth + 1),
                    _ => {}
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| of_json(value, name, found, depth + 1)),
        _ => {}
    }
}

/// The rulesheets in XML: the text of elements, each with the name that stands before it.
fn of_xml(file: &str, bytes: &[u8]) -> Result<Vec<Found>, Failure> {
    let text = std::str::from_utf8(bytes).map_err(|error| wrong(file, "read", &error))?;
    let mut reader = Reader::from_str(text);
    let mut found = Vec::new();
    let (mut open, mut name): (Vec<(String, String)>, Option<String>) = (Vec::new(), None);
    loop {
        match reader.read_event().map_err(|error| wrong(file, "read", &error))? {
            Event::Start(start) => {
                open.push((start.local_name().as_ref().to_lowercase(), String::new()));
            }
            Event::Text(part) => {
                if let Some((_, text)) = open.last_mut() {
                    text.push_str(&part);
                }
            }
            Event::CData(part) => {
                if let Some((_, text)) = open.last_mut() {
                    text.push_str(&part);
                }
            }
            Event::GeneralRef(reference) => {
                if let Some((_, text)) = open.last_mut() {
                    text.push_str(&resolved(&reference));
                }
            }
            Event::End(_) => {
                let Some((element, text)) = open.pop() else { continue };
                if is_rulesheet(&text) {
                    found.push(Found { name: name.take().unwrap_or_else(|| stem(file)), text });
                } else if matches!(element.as_str(), "name" | "gamename" | "game-name" | "key") {
                    name = Some(text.trim().to_owned()).filter(|name| !name.is_empty());
                }
            }
            Event::Eof => return Ok(found),
            _ => {}
        }
    }
}

/// What a reference such as `&lt;` stands for.
fn resolved(reference: &str) -> String {
    let code = reference.strip_prefix('#').and_then(|digits| match digits.strip_prefix('x') {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok(),
        None => digits.parse().ok(),
    });
    match reference {
        "lt" => "<".into(),
        "gt" => ">".into(),
        "amp" => "&".into(),
        "quot" => "\"".into(),
        "apos" => "'".into(),
        _ => code.and_then(char::from_u32).map_or_else(String::new, String::from),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const RULES_TEXT: &str = "(role you) (<= terminal (true p))";

    fn found(file: &str, bytes: &[u8], game: Option<&str>) -> Result<Option<(String, String)>, String> {
        rulesheet(file, bytes, game, 1 << 20).map_err(|failure| match failure {
            Failure::Input { message, hint } => format!("{message}; {}", hint.unwrap_or_default()),
            _ => String::new(),
        })
    }

    fn one(name: &str) -> Result<Option<(String, String)>, String> {
        Ok(Some((name.to_owned(), RULES_TEXT.to_owned())))
    }

    fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (path, text) in files {
            writer.start_file(*path, zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(text.as_bytes()).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn compressed(bytes: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(bytes).unwrap();
        writer.finish().unwrap()
    }

    #[test]
    fn a_plain_rulesheet_is_left_alone() {
        for text in [RULES_TEXT, "role(you)", "; {}\n(role a)", "<= p q", ""] {
            assert_eq!(found("game.kif", text.as_bytes(), None), Ok(None), "{text}");
        }
        assert!(found("game.kif", b"(role a)", Some("b")).unwrap_err().contains("has no game `b`"));
    }

    #[test]
    fn json_of_repositories_is_read() {
        let game = format!(
            r#"{{"theKey":"lamp","theName":"Lamp","theDescription":"a (role ) game","theRulesheet":"{RULES_TEXT}"}}"#
        );
        assert_eq!(found("x.json", game.as_bytes(), None), one("x.json#lamp"));
        assert_eq!(found("lamp.zip", &compressed(game.as_bytes()), None), one("lamp.zip#lamp"));
        let several = format!(r#"{{"one":{game},"two":{{"gdl":"{RULES_TEXT}"}}}}"#);
        assert_eq!(found("x.json", several.as_bytes(), Some("two")), one("x.json#two"));
        let error = found("x.json", several.as_bytes(), None).unwrap_err();
        assert_eq!(error, "`x.json` has 2 games; `x.json#NAME` is one of them: its games are lamp, two");
        assert!(found("x.json", several.as_bytes(), Some("three")).unwrap_err().contains("no game `three`"));
        assert!(found("x.json", b"{\"a\":1}", None).unwrap_err().contains("no rulesheet"));
        assert!(found("x.json", b"{\"a\"", None).unwrap_err().contains("cannot be read"));
    }

    #[test]
    fn xml_of_servers_is_read() {
        let text = RULES_TEXT.replace('<', "&lt;");
        let game = format!(
            "<?xml version=\"1.0\"?>\n<game><name>lamp</name><gameDescription>{text}</gameDescription></game>"
        );
        assert_eq!(found("x.xml", game.as_bytes(), None), one("x.xml#lamp"));
        let quoted = format!("<games><gdl><![CDATA[{RULES_TEXT}]]></gdl></games>");
        assert_eq!(found("lamp.xml", quoted.as_bytes(), None), one("lamp.xml#lamp"));
        assert!(found("x.xml", b"<a></b>", None).unwrap_err().contains("cannot be read"));
        assert!(found("x.xml", b"<a/>", None).unwrap_err().contains("no rulesheet"));
    }

    #[test]
    fn archives_are_read() {
        let files = [
            ("games/lamp/METADATA", r#"{"gameName":"A lamp","rulesheet":"rules.kif"}"#),
            ("games/lamp/rules.kif", RULES_TEXT),
            ("games/nim.kif", "(role a)"),
            ("readme.txt", "(role b)"),
        ];
        let archive = zipped(&files);
        assert_eq!(found("g.zip", &archive, Some("lamp")), one("g.zip#lamp"));
        assert!(found("g.zip", &archive, None).unwrap_err().ends_with("its games are lamp, nim"));
        assert!(
            found("g.zip", &archive[..archive.len() / 2], None).unwrap_err().contains("cannot be unpacked")
        );
        let mut builder = tar::Builder::new(Vec::new());
        for (path, text) in files {
            let mut header = tar::Header::new_ustar();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, path, text.as_bytes()).unwrap();
        }
        let archive = builder.into_inner().unwrap();
        assert_eq!(found("g.tar", &archive, Some("lamp")), one("g.tar#lamp"));
        assert_eq!(found("g.tar.gz", &compressed(&archive), Some("lamp")), one("g.tar.gz#lamp"));
        assert_eq!(found("lamp.kif.gz", &compressed(RULES_TEXT.as_bytes()), None), one("lamp.kif.gz#lamp"));
        let large = compressed(&vec![b' '; 2 << 20]);
        assert!(found("large.gz", &large, None).unwrap_err().contains("longer than any rulesheet"));
        let large = zipped(&[("a.kif", &" ".repeat(2 << 20))]);
        assert!(found("large.zip", &large, None).unwrap_err().contains("more than can be read at once"));
    }
}
