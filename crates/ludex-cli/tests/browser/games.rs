//! Uploading games.

use std::fs;

use super::session::{browse, wait};

/// Two players take the four corners in turn; whoever has the first corner has won.
pub const CORNERS: &str = "\
(role left)
(role right)
(index 1) (index 2)
(<= (init (cell ?x ?y free)) (index ?x) (index ?y))
(init (turn left))
(<= (legal ?r (take ?x ?y)) (true (turn ?r)) (true (cell ?x ?y free)))
(<= (legal left wait) (true (turn right)))
(<= (legal right wait) (true (turn left)))
(<= (next (cell ?x ?y ?r)) (does ?r (take ?x ?y)))
(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (distinct ?c free))
(<= (next (cell ?x ?y free)) (true (cell ?x ?y free)) (not (taken ?x ?y)))
(<= (taken ?x ?y) (does ?r (take ?x ?y)))
(<= (next (turn left)) (true (turn right)))
(<= (next (turn right)) (true (turn left)))
(<= open (true (cell ?x ?y free)))
(<= terminal (not open))
(<= (goal ?r 100) (true (cell 1 1 ?r)) (role ?r))
(<= (goal ?r 0) (role ?r) (not (true (cell 1 1 ?r))))
";

#[test]
fn an_error_is_shown_in_its_place_and_the_game_accepted_once_it_is_mended() {
    browse(|page| {
        // The answer to a wrong rulesheet says that it is one.
        page.expect_complaint("status of 422");
        let wrong = CORNERS.replacen("(true (turn ?r)) (true (cell ?x", "(true (cell ?x", 1);
        page.open("/games");
        page.click("a[href='/games/new']");
        page.type_into("#name", "corners");
        page.type_into("#text", &wrong);
        page.click("button[value=add]");
        page.wait_for_text("[role=alert]", "not accepted");
        let finding = page.text(".finding.error");
        assert!(finding.contains("line 6, column 12"), "{finding}");
        assert_eq!(page.text(".finding.error mark"), "?r");
        assert_eq!(page.value("#text"), wrong);
        assert_eq!(page.value("#name"), "corners");
        page.screenshot("upload");

        page.fill("#text", CORNERS);
        page.click("button[value=check]");
        page.wait_for_text("main", "Nothing is wrong with these rules.");
        assert_eq!(page.value("#text"), CORNERS);
        page.click("button[value=add]");
        page.wait_for_path("/games/corners");
        assert_eq!(page.text("h1"), "corners");
        assert!(page.text("[role=status]").contains("accepted"));
        assert!(page.text(".facts").contains("left, right"));
        assert!(page.board().contains("<svg"));
        page.screenshot("game");

        page.open("/games");
        page.type_into("#find", "corn");
        page.click(".filters button");
        wait("the list to be narrowed down", || (page.count(".tiles > li") == 1).then_some(()));
        page.click(".tiles > li a");
        page.wait_for_path("/games/corners");
    });
}

#[test]
fn a_file_is_taken_with_its_name() {
    browse(|page| {
        let file = page.folder().join("four-corners.kif");
        fs::write(&file, CORNERS).unwrap();
        page.open("/games/new");
        page.type_into("#file", file.to_str().unwrap());
        wait("the text of the file", || (page.value("#text") == CORNERS).then_some(()));
        assert_eq!(page.value("#name"), "four-corners");
        page.click("button[value=add]");
        page.wait_for_path("/games/four-corners");
    });
}
