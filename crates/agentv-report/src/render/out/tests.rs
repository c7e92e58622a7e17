//! Reports put in place whole, through links, pipes and into folders that are not there.

use std::{io::Read as _, os::unix::fs::symlink};

use super::*;
use crate::{
    format_named,
    record::{
        Row,
        sample::{scored, settled},
    },
};

fn rows(
    ids: &'static [&'static str],
) -> impl Iterator<Item = Result<Row<'static>, crate::RowFault>> {
    ids.iter().map(|id| {
        let settled = settled(0, id, scored(1.0, &[]));
        let row = Row::of(&settled, crate::record::Keeping::default()).unwrap();
        Ok(serde_json::from_value(serde_json::to_value(&row).unwrap()).unwrap())
    })
}

fn write(path: &Path, ids: &'static [&'static str]) -> Result<(), OutFault> {
    let report = Report::new("sample", None, || Ok(Box::new(rows(ids))));
    write_out(path, format_named("jsonl").unwrap(), &report)
}

fn lines(path: &Path) -> usize {
    fs::read_to_string(path).unwrap().lines().count()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn an_existing_file_is_replaced_and_keeps_its_mode() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.jsonl");
    fs::write(&path, "old\n".repeat(100)).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
    check_out(&path).unwrap();
    write(&path, &["a", "b"]).unwrap();
    assert_eq!(lines(&path), 2);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(names(folder.path()), ["out.jsonl"]);
}

#[test]
fn a_new_file_can_be_read_by_whom_the_mask_lets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.jsonl");
    write(&path, &["a"]).unwrap();
    let usual = folder.path().join("usual");
    fs::write(&usual, "").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&path), mode(&usual));
}

#[test]
fn a_report_that_fails_leaves_the_old_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.jsonl");
    fs::write(&path, "old").unwrap();
    let torn = || crate::RowFault {
        path: "results.jsonl".into(),
        line: 2,
        offset: 10,
        problem: crate::RowProblem::Torn,
    };
    let report = Report::new("sample", None, || Ok(Box::new(rows(&["a"]).chain([Err(torn())]))));
    let fault = write_out(&path, format_named("jsonl").unwrap(), &report).unwrap_err();
    assert!(fault.to_string().contains("out.jsonl`: results.jsonl, line 2: "), "{fault}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(names(folder.path()), ["out.jsonl"]);
}

#[test]
fn a_link_stays_and_the_file_it_names_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("file.jsonl"), folder.path().join("link.jsonl"));
    fs::write(&file, "old").unwrap();
    symlink(&file, &link).unwrap();
    write(&link, &["a", "b"]).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(lines(&file), 2);
}

#[test]
fn a_pipe_is_written_through_and_a_closed_one_is_told_apart() {
    let (mut reader, writer) = io::pipe().unwrap();
    let path = fd_path(&writer);
    check_out(&path).unwrap();
    write(&path, &["a", "b"]).unwrap();
    drop(writer);
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text.lines().count(), 2);

    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let fault = write(&fd_path(&writer), &["a"]).unwrap_err();
    assert!(fault.is_closed_pipe(), "{fault}");
}

#[test]
fn standard_output_that_is_redirected_to_a_file_is_added_to_and_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    fs::write(&path, "before\n").unwrap();
    let file = OpenOptions::new().append(true).open(&path).unwrap();
    write(&fd_path(&file), &["a"]).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("before\n{"), "{text}");
    assert_eq!(names(folder.path()), ["log"]);
}

fn fd_path(file: &impl std::os::fd::AsRawFd) -> PathBuf {
    PathBuf::from(format!("/dev/fd/{}", file.as_raw_fd()))
}

#[test]
fn what_would_keep_a_report_from_being_written_is_known_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let fault = check_out(folder.path()).unwrap_err();
    assert!(fault.to_string().ends_with("`: it is a directory"), "{fault}");

    let fault = check_out(&folder.path().join("no/out.jsonl")).unwrap_err();
    assert!(fault.to_string().ends_with("no` does not exist"), "{fault}");

    fs::write(folder.path().join("file"), "").unwrap();
    let fault = check_out(&folder.path().join("file/out.jsonl")).unwrap_err();
    assert!(fault.to_string().contains("Not a directory"), "{fault}");

    assert_eq!(names(folder.path()), ["file"], "checking leaves nothing behind");
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_takes_no_files_is_known_before_the_run() {
    // Not even root can make a file there.
    let fault = check_out(Path::new("/proc/self/out.jsonl")).unwrap_err();
    let text = fault.to_string();
    assert!(text.starts_with("cannot write `/proc/self/out.jsonl`: "), "{text}");
    assert!(text.contains("no file can be made in `/proc/self`: "), "{text}");
}
