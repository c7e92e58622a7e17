//! Pictures over pictures, on a terminal in memory.

use super::*;
use crate::live::{screen::Screen as _, vt::Vt};

struct Drawn {
    terminal: Vt,
    canvas: Canvas,
}

impl Drawn {
    fn on(rows: u16, columns: u16) -> Self {
        Self { terminal: Vt::new(rows, columns), canvas: Canvas::default() }
    }

    fn draw(&mut self, said: &[&str], picture: &[&str]) -> String {
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        let said: Vec<String> = owned(said);
        if let Some(text) = self.canvas.draw(&said, owned(picture), self.terminal.size()) {
            self.terminal.write(&text).unwrap();
        }
        self.terminal.shown()
    }
}

#[test]
fn a_picture_is_drawn_over_the_one_before() {
    let mut drawn = Drawn::on(10, 40);
    assert_eq!(
        drawn.draw(&[], &["a long first line", "second", "third"]),
        "a long first line\nsecond\nthird"
    );
    assert_eq!(drawn.draw(&[], &["short", "2"]), "short\n2");
    assert_eq!(drawn.draw(&[], &["short", "2", "3", "4"]), "short\n2\n3\n4");
}

#[test]
fn lines_that_stay_are_above_it_however_long_they_are() {
    let mut drawn = Drawn::on(10, 10);
    drawn.draw(&[], &["bar", "list"]);
    let shown = drawn.draw(&["0123456789abc", "next"], &["bar", "list"]);
    assert_eq!(shown, "0123456789abc\nnext\nbar\nlist");
    // Exactly as wide as the window.
    assert_eq!(drawn.draw(&["0123456789"], &["bar"]), "0123456789abc\nnext\n0123456789\nbar");
}

#[test]
fn nothing_is_sent_where_nothing_changed() {
    let mut drawn = Drawn::on(10, 40);
    drawn.draw(&[], &["bar"]);
    let sent = drawn.terminal.raw().len();
    drawn.draw(&[], &["bar"]);
    assert_eq!(drawn.terminal.raw().len(), sent);
}

#[test]
fn a_window_that_is_full_scrolls_and_keeps_one_picture() {
    let mut drawn = Drawn::on(4, 20);
    for line in ["1", "2", "3", "4", "5", "6"] {
        drawn.draw(&[line], &["bar", "list"]);
    }
    assert_eq!(drawn.terminal.shown(), "5\n6\nbar\nlist");
}

#[test]
fn a_window_that_becomes_wider_or_lower_keeps_one_picture() {
    let mut drawn = Drawn::on(10, 20);
    drawn.draw(&["said"], &["bar", "list"]);
    drawn.terminal.resize(10, 60);
    assert_eq!(drawn.draw(&[], &["a wider bar", "list"]), "said\na wider bar\nlist");
    drawn.terminal.resize(6, 60);
    assert_eq!(drawn.draw(&[], &["a wider bar", "list"]), "said\na wider bar\nlist");
}

#[test]
fn a_window_that_becomes_narrower_has_broken_the_lines_which_are_all_drawn_over() {
    let mut drawn = Drawn::on(10, 20);
    drawn.draw(&["said"], &["0123456789abcdef", "list"]);
    // As terminals break lines that do not fit any more: with the cursor behind the last of them.
    let broken = Vt::new(10, 10);
    drawn.terminal = broken;
    drawn.terminal.write("said\r\n0123456789abcdef\r\nlist").unwrap();
    assert_eq!(drawn.draw(&[], &["01234…", "list"]), "said\n01234…\nlist");
}

#[test]
fn in_the_end_only_the_lines_that_stay_are_there() {
    let mut drawn = Drawn::on(10, 40);
    drawn.draw(&["one"], &["bar", "list"]);
    let size = drawn.terminal.size();
    let text = drawn.canvas.clear(&["two".to_owned()], size);
    drawn.terminal.write(&text).unwrap();
    assert_eq!(drawn.terminal.shown(), "one\ntwo");
    assert_eq!(drawn.canvas.clear(&[], size), "", "there is nothing left to take away");
}
