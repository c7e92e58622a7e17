//! What the help says of formats of rows, from the list of those that there are.

use agentv_report::FORMATS;

/// Help for `--out`.
pub fn out_help(what: &str) -> String {
    let endings: Vec<String> = FORMATS
        .iter()
        .filter_map(|format| {
            let ending = format.endings().first()?;
            let name = format.name();
            Some(if *ending == name { format!(".{ending}") } else { format!(".{ending} ({name})") })
        })
        .collect();
    format!(
        "{what}; the ending picks the format: {}; `-` is standard output; repeatable",
        endings.join(", ")
    )
}

/// Help for `--output-format`.
pub fn format_help() -> String {
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name()).collect();
    format!("The format of --out, whatever its ending: {}", names.join(", "))
}
