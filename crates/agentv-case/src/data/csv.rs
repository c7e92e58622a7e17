//! A table with a line of names → one map a row. Every cell is text.

use std::sync::Arc;

use agentv_base::{
    Diagnostic, Entry, Key, Node, NodeValue, OWN_KEY_PREFIX, Problems, Shape, SourceId, Span,
    find_key, is_free, nearest,
};
use csv::StringRecord;

use super::records::Records;
use crate::suite::keys::CASE_KEYS;

/// What columns are called whose cells are graders in the short form.
const EXPECTATION: &str = "__expected";

/// Columns of other tools that say what a key of ours says.
const OTHER_NAMES: [(&str, &str); 2] =
    [("__description", "description"), ("__threshold", "threshold")];

/// Whether a column holds graders.
fn is_expectation(name: &str) -> bool {
    name.strip_prefix(EXPECTATION)
        .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What becomes of the cells of a column.
enum Column {
    /// A key of the case.
    Key(Arc<str>),
    /// A list of names with commas between them.
    Names(Arc<str>),
    Grader,
    Var(Arc<str>),
    /// Wrong, which has been reported.
    Rejected,
}

/// The rows of a CSV file.
pub(crate) struct Table<'t> {
    columns: Vec<Column>,
    records: Records<'t>,
}

impl<'t> Table<'t> {
    pub(crate) fn new(text: &'t str, source: SourceId, problems: &mut Problems) -> Option<Self> {
        let records = Records::new(text, source).map_err(|problem| problems.push(problem)).ok()?;
        let (names, span) = (records.names(), records.names_span());
        let mut columns: Vec<Column> = Vec::with_capacity(names.len());
        for (number, name) in names.iter().enumerate() {
            let twice = names.iter().take(number).any(|other| other.trim() == name.trim());
            columns.push(if twice && !is_expectation(name.trim()) {
                problems.error(span, format!("the column `{}` stands twice", name.trim()));
                Column::Rejected
            } else {
                column(name.trim(), span, problems)
            });
        }
        Some(Self { columns, records })
    }

    fn row(&self, record: &StringRecord, span: Span) -> Node {
        let text = |cell: &str| Node::new(span, NodeValue::String(cell.into()));
        let entry =
            |key: &Arc<str>, value| Entry { key: key.clone().into(), key_span: span, value };
        let list = |nodes| Node::new(span, NodeValue::List(Arc::from(nodes)));
        let mut entries = Vec::with_capacity(self.columns.len());
        let mut graders = Vec::new();
        let mut vars = Vec::new();
        for (column, cell) in self.columns.iter().zip(record) {
            let blank = cell.trim().is_empty();
            match column {
                Column::Var(name) => vars.push(entry(name, text(cell))),
                Column::Key(key) if !blank => entries.push(entry(key, text(cell))),
                Column::Names(key) if !blank => {
                    let names =
                        cell.split([',', ';']).map(str::trim).filter(|name| !name.is_empty());
                    entries.push(entry(key, list(names.map(text).collect())));
                }
                Column::Grader if !blank => graders.push(text(cell.trim())),
                Column::Key(_) | Column::Names(_) | Column::Grader | Column::Rejected => {}
            }
        }
        if !graders.is_empty() {
            entries.push(entry(&"assert".into(), list(graders)));
        }
        if !vars.is_empty() {
            let vars = Node::new(span, NodeValue::Map(Arc::from(vars)));
            entries.push(entry(&"vars".into(), vars));
        }
        Node::new(span, NodeValue::Map(Arc::from(entries)))
    }
}

impl Iterator for Table<'_> {
    type Item = Result<Node, Diagnostic>;

    fn next(&mut self) -> Option<Self::Item> {
        let record = self.records.next()?;
        Some(record.map(|(record, span)| self.row(&record, span)))
    }
}

/// What a column is by its name. Names of the author's own are variables; one that is nearly the
/// name of a key would be a variable that nobody uses, so it is a mistake.
fn column(name: &str, span: Span, problems: &mut Problems) -> Column {
    if name.is_empty() {
        problems.error(span, "a column has no name");
        return Column::Rejected;
    }
    if is_expectation(name) {
        return Column::Grader;
    }
    if let Some((_, key)) = OTHER_NAMES.iter().find(|(other, _)| *other == name) {
        return Column::Key((*key).into());
    }
    if name.starts_with("__") {
        problems.push(
            Diagnostic::error(format!("the column `{name}` is not supported"))
                .code("not-supported")
                .at(span)
                .hint("columns of graders are called `__expected`; call a variable otherwise"),
        );
        return Column::Rejected;
    }
    if let Some(var) = name.strip_prefix("vars.") {
        return Column::Var(var.into());
    }
    if is_free(name) || name.starts_with(OWN_KEY_PREFIX) {
        return Column::Key(name.into());
    }
    if let Some(key) = find_key(name, &[CASE_KEYS]) {
        if matches!(key.name, "tags" | "input_files" | "depends_on") {
            return Column::Names(name.into());
        }
        let is_text = matches!(
            key.shape,
            Shape::Text | Shape::Name | Shape::Share | Shape::Count | Shape::Choice(_)
        );
        if is_text || matches!(key.name, "input" | "expected_output") {
            return Column::Key(name.into());
        }
        problems.push(
            Diagnostic::error(format!("`{name}` cannot be given in a column"))
                .at(span)
                .hint("keep such cases in YAML or JSONL"),
        );
        return Column::Rejected;
    }
    if let Some(meant) = nearest(name, CASE_KEYS.iter().flat_map(Key::names)) {
        problems.push(
            Diagnostic::error(format!("the column `{name}` is nearly the key `{meant}`"))
                .code("unknown-key")
                .at(span)
                .hint(format!("write `{meant}`, or `vars.{name}` for a variable of that name")),
        );
        return Column::Rejected;
    }
    Column::Var(name.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> (Vec<String>, Vec<String>) {
        let mut problems = Problems::default();
        let mut rows = Vec::new();
        if let Some(table) = Table::new(text, SourceId::default(), &mut problems) {
            for row in table {
                match row {
                    Ok(row) => rows.push(row.to_json().to_string()),
                    Err(problem) => problems.push(problem),
                }
            }
        }
        let said = problems.iter().map(|problem| {
            let span = problem.span.unwrap_or_default();
            format!("{} @{}", problem.message, span.start)
        });
        (rows, said.collect())
    }

    #[test]
    fn columns_are_keys_of_the_case_graders_and_variables() {
        let (rows, problems) = check(
            "id,input,tags,topic,__expected1,__expected2,vars.id\n\
             a,\"Say \"\"hi\"\",\nplease\",\"x, y\",,contains:hi,,7\n\
             b,?,,cats,regex:^a,equals:b,8\n",
        );
        assert_eq!(
            rows,
            [
                r#"{"id":"a","input":"Say \"hi\",\nplease","tags":["x","y"],"assert":["contains:hi"],"vars":{"topic":"","id":"7"}}"#,
                r#"{"id":"b","input":"?","assert":["regex:^a","equals:b"],"vars":{"topic":"cats","id":"8"}}"#,
            ]
        );
        assert_eq!(problems, [""; 0]);
    }

    #[test]
    fn a_quote_that_is_never_closed_hides_no_rows() {
        let (_, problems) = check("id,input\na,\"x\"\nb,\"y\nc,z\nd,\n");
        assert_eq!(problems, ["a quote of this row is never closed @15"]);
        let (rows, problems) = check("id,input\na,\"say \"\"x\"\"\nplease\"\n");
        assert_eq!((rows.len(), problems.len()), (1, 0));
    }

    #[test]
    fn what_is_wrong_with_a_table_is_told_at_its_place() {
        let (rows, problems) =
            check("id,expected_ouput,execution,id,\na,b,c,d,e\nb,c\nc,c,c,c,c\n");
        assert_eq!(rows.len(), 2);
        assert_eq!(
            problems,
            [
                "the column `expected_ouput` is nearly the key `expected_output` @0",
                "`execution` cannot be given in a column @0",
                "the column `id` stands twice @0",
                "a column has no name @0",
                "this row has 2 cells, and the table 5 columns @42",
            ]
        );
    }
}
