//! Whole sessions: rulesheets that are written from the first bracket to the finished game.

use serde_json::{Value, json};

use crate::client::{Client, edited, offset, position};

const URI: &str = "file:///tic-tac-toe.kif";

/// Somebody who writes a rulesheet.
struct Author {
    client: Client,
    uri: &'static str,
    text: String,
}

impl Author {
    fn new(uri: &'static str, language: &str) -> Self {
        let mut client = Client::new();
        client.open(uri, language, "");
        Self { client, uri, text: String::new() }
    }

    /// Types at a byte offset, character by character.
    fn type_at(&mut self, at: usize, new: &str) {
        let mut at = at;
        for c in new.chars() {
            let place = position(&self.text, at);
            let range = json!({ "start": place, "end": place });
            self.client.change(self.uri, json!([{ "range": range, "text": c.to_string() }]));
            self.text.insert(at, c);
            at += c.len_utf8();
        }
    }

    /// Types at the end.
    fn write(&mut self, new: &str) {
        self.type_at(self.text.len(), new);
    }

    /// Replaces the first place of a text.
    fn replace(&mut self, old: &str, new: &str) {
        let start = self.text.find(old).expect("what is to be replaced");
        let range =
            json!({ "start": position(&self.text, start), "end": position(&self.text, start + old.len()) });
        self.client.change(self.uri, json!([{ "range": range, "text": new }]));
        self.text.replace_range(start..start + old.len(), new);
    }

    /// Takes the last bytes away.
    fn erase(&mut self, bytes: usize) {
        let start = self.text.len() - bytes;
        let range =
            json!({ "start": position(&self.text, start), "end": position(&self.text, self.text.len()) });
        self.client.change(self.uri, json!([{ "range": range, "text": "" }]));
        self.text.truncate(start);
    }

    /// Takes over changes that the server made.
    fn take(&mut self, edits: &Value) {
        let new = edited(&self.text, edits);
        self.client.change(self.uri, json!([{ "text": new }]));
        self.text = new;
    }

    fn codes(&mut self) -> Vec<String> {
        self.client.codes(self.uri)
    }

    /// The place of a word, and so many characters into it.
    fn place(&self, word: &str, into: usize) -> (u32, u32) {
        let at = position(&self.text, self.text.find(word).expect("the word") + into);
        (at["line"].as_u64().unwrap() as u32, at["character"].as_u64().unwrap() as u32)
    }

    fn at(&mut self, method: &str, word: &str, into: usize) -> Value {
        let (line, character) = self.place(word, into);
        self.client.at(method, self.uri, line, character).expect("an answer")
    }

    /// The labels of what can be written at the end of a word.
    fn completions(&mut self, word: &str) -> Vec<String> {
        let found = self.at("textDocument/completion", word, word.len());
        let mut items: Vec<&Value> = found.as_array().expect("a list").iter().collect();
        items.sort_by_key(|item| item["sortText"].as_str().unwrap_or_default().to_owned());
        items.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
    }

    /// Does what the first action for a finding with this code says.
    fn fix(&mut self, code: &str) {
        let found = self.client.findings(self.uri);
        let finding =
            found.iter().find(|f| f["code"] == code).unwrap_or_else(|| panic!("{code} among {found:?}"));
        let context = json!({ "diagnostics": [finding] });
        let params =
            json!({ "textDocument": { "uri": self.uri }, "range": finding["range"], "context": context });
        let actions = self.client.request("textDocument/codeAction", params).expect("actions");
        let is_fix = |action: &&Value| {
            action["kind"] == "quickfix"
                && action["diagnostics"].as_array().is_some_and(|all| all.iter().any(|d| d["code"] == code))
        };
        let action = actions
            .as_array()
            .unwrap()
            .iter()
            .find(is_fix)
            .unwrap_or_else(|| panic!("a fix for {code}: {actions}"));
        let edits = action["edit"]["changes"][self.uri].clone();
        self.take(&edits);
    }

    fn command(&mut self, command: &str, options: Value) -> Result<Value, (i32, String)> {
        let params = json!({ "command": command, "arguments": [self.uri, options] });
        self.client.request("workspace/executeCommand", params)
    }

    fn board(&mut self, more: Value) -> Value {
        let mut params = json!({ "textDocument": { "uri": self.uri } });
        for (key, value) in more.as_object().unwrap() {
            params[key] = value.clone();
        }
        self.client.request("ludex/board", params).expect("a board")
    }
}

#[test]
fn tic_tac_toe_is_written_from_the_first_bracket_on() {
    let mut author = Author::new(URI, "gdl-prefix");
    assert_eq!(author.codes(), ["L046"; 4], "an empty text lacks everything");
    assert!(author.completions("").contains(&"role".to_owned()), "clauses can be begun");

    // Roles, with a bracket that is not closed at first.
    author.write("; Three in a row.\n(role white)\n(role black");
    assert_eq!(author.codes(), ["L001"]);
    author.fix("L001");
    assert!(author.text.ends_with("(role black)"), "{}", author.text);
    assert_eq!(author.codes(), ["L046", "L046", "L046", "L048"]);
    assert_eq!(author.board(json!({}))["error"].as_str().map(|e| e.contains("legal")), Some(true));

    // The board.
    author.write("\n(index 1) (index 2) (index 3)\n(<= (init (cell ?m ?n b)) (index ?m) (index ?n))\n(init (control white))\n");
    assert!(!author.codes().contains(&"L048".to_owned()));
    let hover = author.at("textDocument/hover", "cell", 1)["contents"]["value"].as_str().unwrap().to_owned();
    assert!(hover.contains("function") && hover.contains("`cell/3`"), "{hover}");

    // Moves: what can stand in `true` is known from what was written before, while the clause is open.
    author.write("(<= (legal ?w (mark ?x ?y)) (true (");
    let offered = author.completions("(true (");
    assert!(
        offered.starts_with(&["cell".to_owned()]) && offered.contains(&"control".to_owned()),
        "{offered:?}"
    );
    let signature = author.at("textDocument/signatureHelp", "(true (", 6);
    assert_eq!(signature["signatures"][0]["label"], "(true fact)");
    author.write("cell ?x ?y ");
    let offered = author.completions("(cell ?x ?y ");
    assert!(offered.contains(&"b".to_owned()) && offered.contains(&"?w".to_owned()), "{offered:?}");
    author.write("b)) (true (control ?w)))\n(legal white noop)\n");
    assert!(author.codes().iter().all(|code| code != "L001"));
    author.replace(
        "(legal white noop)",
        "(<= (legal white noop) (true (control black)))\n(<= (legal black noop) (true (control white)))",
    );

    // What happens, with a clause that is written twice.
    author.write(
        "(<= (next (cell ?m ?n x)) (does white (mark ?m ?n)) (true (cell ?m ?n b)))\n\
         (<= (next (cell ?m ?n o)) (does black (mark ?m ?n)) (true (cell ?m ?n b)))\n\
         (<= (next (cell ?m ?n ?w)) (true (cell ?m ?n ?w)) (distinct ?w b))\n\
         (<= (next (cell ?m ?n b)) (does ?w (mark ?j ?k)) (true (cell ?m ?n b)) (distinct ?m ?j))\n\
         (<= (next (cell ?m ?n b)) (does ?w (mark ?j ?k)) (true (cell ?m ?n b)) (distinct ?n ?k))\n\
         (<= (next (control white)) (true (control black)))\n\
         (<= (next (control black)) (true (control white)))\n\
         (<= (next (control black)) (true (control white)))\n",
    );
    assert!(author.codes().contains(&"L053".to_owned()));
    author.fix("L053");
    assert_eq!(author.codes(), ["L046", "L046"], "the end and the goals are missing");

    // The end: a name that is not there, one that is misspelt, one that nobody needs.
    author.write(
        "(<= (row ?m ?z) (true (cell ?m 1 ?z)) (true (cell ?m 2 ?z)) (true (cell ?m 3 ?z)))\n\
         (<= (column ?n ?z) (true (cell 1 ?n ?z)) (true (cell 2 ?n ?z)) (true (cell 3 ?n ?z)))\n\
         (<= (diagonal ?z) (true (cell 1 1 ?z)) (true (cell 2 2 ?z)) (true (cell 3 3 ?z)))\n\
         (<= (diagonal ?z) (true (cell 1 3 ?z)) (true (cell 2 2 ?z)) (true (cell 3 1 ?z)))\n\
         (<= (line ?z) (row ?m ?z))\n(<= (line ?z) (colum ?n ?z))\n(<= (line ?z) (diagonal ?z))\n\
         (<= open (true (cell ?m ?n b)))\n(edge 1)\n(<= terminal (line x))\n(<= terminal (line o))\n(<= terminal (not open))\n",
    );
    let codes = author.codes();
    assert!(codes.contains(&"L050".to_owned()) && codes.contains(&"L051".to_owned()), "{codes:?}");
    author.fix("L050");
    assert!(author.text.contains("(column ?n ?z))\n(<= (line ?z) (diagonal"), "{}", author.text);
    while author.codes().contains(&"L051".to_owned()) {
        author.fix("L051");
    }
    assert!(!author.text.contains("edge"));
    assert_eq!(author.codes(), ["L046"], "goals");

    // Goals.
    let offered = {
        author.write("(<= (goal white 100) (");
        author.completions("(<= (goal white 100) (")
    };
    for word in ["line", "true", "distinct", "open"] {
        assert!(offered.contains(&word.to_owned()), "{word} among {offered:?}");
    }
    author.write(
        "line x))\n(<= (goal white 50) (not (line x)) (not (line o)))\n(<= (goal white 0) (line o))\n\
         (<= (goal black 100) (line o))\n(<= (goal black 50) (not (line x)) (not (line o)))\n(<= (goal black 0) (line x))\n",
    );
    assert_eq!(author.codes(), [""; 0], "the game is finished");
    looked_at(&mut author);
    renamed_and_laid_out(&mut author);
    played(&mut author);
    assert_eq!(author.client.quit(), ludex_lsp::End::Ordered);
}

/// Definitions, references, hover, outline, tokens, hints.
fn looked_at(author: &mut Author) {
    let uri = author.uri;
    let definitions = author.at("textDocument/definition", "(line x)", 1);
    assert_eq!(definitions.as_array().unwrap().len(), 3, "`line` has three clauses");
    let (line, character) = author.place("(line x)", 1);
    let params = json!({
        "textDocument": { "uri": uri }, "position": { "line": line, "character": character },
        "context": { "includeDeclaration": true },
    });
    let references = author.client.request("textDocument/references", params).unwrap();
    for place in references.as_array().unwrap() {
        let start = offset(&author.text, &place["range"]["start"]);
        assert!(author.text[start..].starts_with("line"));
    }
    assert_eq!(references.as_array().unwrap().len(), author.text.matches("(line ").count());
    let highlights = author.at("textDocument/documentHighlight", "?m ?n b", 1);
    assert_eq!(highlights.as_array().unwrap().len(), 2, "a variable belongs to its clause");
    let hover =
        author.at("textDocument/hover", "(line x)", 2)["contents"]["value"].as_str().unwrap().to_owned();
    assert!(hover.contains("3 clauses") && hover.contains("depends on the state"), "{hover}");
    assert!(hover.contains("b, o, x"), "{hover}");
    let hover =
        author.at("textDocument/hover", "(legal ?w", 2)["contents"]["value"].as_str().unwrap().to_owned();
    assert!(hover.contains("may make this move"), "{hover}");
    let hover = author.at("textDocument/hover", "?m) (index ?n)", 1)["contents"]["value"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(hover.contains("1, 2, 3"), "{hover}");
    let hover =
        author.at("textDocument/hover", "(role white)", 2)["contents"]["value"].as_str().unwrap().to_owned();
    assert!(hover.contains("Three in a row"), "its comment: {hover}");
    let outline = author.client.of("textDocument/documentSymbol", uri);
    let names: Vec<&str> = outline.as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(names[..4], ["role/1", "index/1", "init/1", "legal/2"]);
    let tokens = author.client.of("textDocument/semanticTokens/full", uri);
    assert!(tokens["data"].as_array().unwrap().len() > 500);
    let all = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 999, "character": 0 } });
    let hints = author
        .client
        .request("textDocument/inlayHint", json!({ "textDocument": { "uri": uri }, "range": all }))
        .unwrap();
    let labels: Vec<&str> =
        hints.as_array().unwrap().iter().map(|hint| hint["label"].as_str().unwrap()).collect();
    assert!(labels.contains(&"{1, 2, 3}") && labels.contains(&"{1, 2, 3} × {b, o, x}"), "{labels:?}");
    author.client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "ludex": { "inlayHints": false } } }),
    );
    let hints = author
        .client
        .request("textDocument/inlayHint", json!({ "textDocument": { "uri": uri }, "range": all }))
        .unwrap();
    assert_eq!(hints, Value::Null);
    // A syntax error at the end takes nothing away.
    author.write("(<= (goal");
    assert_eq!(author.codes(), ["L001"]);
    let hover =
        author.at("textDocument/hover", "(line x)", 2)["contents"]["value"].as_str().unwrap().to_owned();
    assert!(hover.contains("b, o, x"), "{hover}");
    assert_eq!(author.at("textDocument/definition", "(line x)", 1).as_array().unwrap().len(), 3);
    author.erase("(<= (goal".len());
    assert_eq!(author.codes(), [""; 0]);
}

/// Renaming and formatting.
fn renamed_and_laid_out(author: &mut Author) {
    let uri = author.uri;
    let (line, character) = author.place("(line x)", 1);
    let rename = |new: &str| json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character }, "newName": new });
    for (new, why) in
        [("row", "something else"), ("legal", "word of the language"), ("", "empty"), ("12", "number")]
    {
        let (_, message) = author.client.request("textDocument/rename", rename(new)).unwrap_err();
        assert!(message.contains(why), "{message}");
    }
    let changes = author.client.request("textDocument/rename", rename("Three in a row")).unwrap();
    let edits = changes["changes"][uri].clone();
    author.take(&edits);
    assert!(author.text.contains("(|three in a row| ?z)"), "{}", author.text);
    assert_eq!(author.codes(), [""; 0]);
    let prepared = author.at("textDocument/prepareRename", "|three", 3);
    assert_eq!(prepared["placeholder"], "three in a row");
    let (line, character) = author.place("(legal", 2);
    assert!(
        author
            .client
            .at("textDocument/prepareRename", uri, line, character)
            .unwrap_err()
            .1
            .contains("word of the language")
    );
    let params = json!({ "textDocument": { "uri": uri }, "options": { "tabSize": 4, "insertSpaces": true } });
    let edits = author.client.request("textDocument/formatting", params.clone()).unwrap();
    author.take(&edits);
    assert!(author.text.contains("(<= (next (cell ?m ?n x))\n"), "{}", author.text);
    assert_eq!(
        author.client.request("textDocument/formatting", params).unwrap(),
        json!([]),
        "once is enough"
    );
    assert_eq!(author.codes(), [""; 0]);
    assert!(!author.client.of("textDocument/foldingRange", uri).as_array().unwrap().is_empty());
}

/// Lenses and what they do.
fn played(author: &mut Author) {
    let uri = author.uri;
    let lenses = author.client.of("textDocument/codeLens", uri);
    let commands: Vec<&str> =
        lenses.as_array().unwrap().iter().map(|lens| lens["command"]["command"].as_str().unwrap()).collect();
    assert_eq!(commands, ["ludex.playRandomGame", "ludex.showBoard", "ludex.proveEnds", "ludex.coverage"]);
    let game = author.command("ludex.playRandomGame", json!({ "seed": 3 })).unwrap();
    assert!(
        game["moves"].as_array().unwrap().len() >= 5 && game["svg"].as_str().unwrap().starts_with("<svg"),
        "{game}"
    );
    assert!(game["text"].as_str().unwrap().contains("white: "), "{game}");
    let board = author.board(json!({}));
    assert_eq!(board["error"], Value::Null);
    assert_eq!((board["legal"]["white"].as_array().unwrap().len(), &board["terminal"]), (9, &json!(false)));
    let board = author.board(json!({ "moves": [["(mark 2 2)", "noop"]], "random": 5 }));
    assert_eq!((board["moves"].as_array().unwrap().len(), &board["error"]), (2, &Value::Null));
    let wrong = author.board(json!({ "moves": [["(mark 2 2)", "noop"], ["noop", "(mark 2 2)"]] }));
    assert!(wrong["error"].as_str().unwrap().starts_with("step 2:"), "{wrong}");
    assert_eq!(wrong["moves"].as_array().unwrap().len(), 1, "what could be made is shown");
    let proof = author.command("ludex.proveEnds", Value::Null).unwrap();
    assert_eq!(proof["ends"], true, "{proof}");
    assert!(proof["text"].as_str().unwrap().contains("The game is well formed."), "{proof}");
    assert!(author.client.notifications.iter().any(|(method, _)| method == "$/progress"));

    // A rule of no use is found, and moves with the text above it.
    author.write("(<= (goal white 50) (true (control nobody)))\n");
    author.codes();
    let coverage = author.command("ludex.coverage", json!({ "games": 50 })).unwrap();
    assert_eq!(coverage["unused"], 1, "{coverage}");
    let marks = |found: Vec<Value>| {
        let marks = found.into_iter().filter(|finding| finding["source"] == "ludex coverage");
        marks.map(|finding| finding["range"]["start"]["line"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let lines = marks(author.client.next_findings(uri));
    assert_eq!(lines.len(), 1);
    author.type_at(0, "\n\n");
    author.codes();
    assert_eq!(marks(author.client.findings(uri)), [lines[0] + 2]);
    author.command("ludex.clearCoverage", Value::Null).unwrap();
    assert_eq!(marks(author.client.next_findings(uri)), [0; 0]);
}

#[test]
fn a_small_game_is_written_in_infix() {
    let mut author = Author::new("file:///walk.gdl", "gdl-infix");
    author.write("role(you)\ninit(at(1))\nlegal(you,go) :- true(at(");
    let offered = author.completions("true(at(");
    assert!(offered.contains(&"1".to_owned()), "{offered:?}");
    author.write("X");
    assert_eq!(author.codes(), ["L001"]);
    author.fix("L001");
    author.write(" & succ(X,Y)\n");
    author.write("succ(1,2)\nsucc(2,3)\nnext(at(Y)) :- does(you,go) & true(at(X)) & suc(X,Y)\nterminal :- true(at(3))\ngoal(you,100)\n");
    assert_eq!(author.codes(), ["L050"], "{}", author.text);
    author.fix("L050");
    assert!(author.text.contains("& succ(X,Y)\nterminal"), "{}", author.text);
    let hover =
        author.at("textDocument/hover", "succ(1", 1)["contents"]["value"].as_str().unwrap().to_owned();
    assert!(
        hover.contains("static") && hover.contains("1. `1, 2`") && hover.contains("2. `2, 3`"),
        "{hover}"
    );
    let (line, character) = author.place("X)) & succ", 0);
    let params = json!({
        "textDocument": { "uri": author.uri }, "position": { "line": line, "character": character }, "newName": "Place",
    });
    let edits = author.client.request("textDocument/rename", params).unwrap()["changes"][author.uri].clone();
    author.take(&edits);
    assert!(author.text.contains("legal(you,go) :- true(at(Place)) & succ(Place,Y)"), "{}", author.text);
    assert_eq!(author.board(json!({ "moves": [["go"], ["go"]] }))["terminal"], true);
    assert_eq!(author.client.quit(), ludex_lsp::End::Ordered);
}
