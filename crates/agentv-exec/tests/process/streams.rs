//! Input and output of any size.

use std::{fs, io::Write as _, os::unix::fs::PermissionsExt as _, time::Duration};

use agentv_base::{Exit, ProcessFault, ProcessRunner as _, Stdin, Stdout};

use crate::sandbox::Sandbox;

const KIB: usize = 1024;
const MB: usize = 1_000_000;

#[tokio::test(flavor = "multi_thread")]
async fn a_short_output_is_kept_whole() {
    let sandbox = Sandbox::shared().await;
    let output = sandbox.run(sandbox.agent("print out eprint err")).await;
    assert_eq!(output.stdout.head, b"out\n");
    assert_eq!(output.stderr.head, b"err\n");
    assert_eq!((output.stdout.cut, output.stdout.tail.len()), (0, 0));
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_gigabyte_both_ends_are_kept_and_the_rest_is_counted() {
    let sandbox = Sandbox::shared().await;
    let words = format!("print first noise {} print last enoise {}", 1000 * MB, 100 * MB);
    let output = sandbox.run(sandbox.agent(&words)).await;
    assert_eq!(output.exit, Exit::Code(0));
    assert!(output.stdout.head.starts_with(b"first\n"));
    assert!(output.stdout.tail.ends_with(b"last\n"));
    assert_eq!(output.stdout.head.len(), 32 * KIB);
    assert_eq!(output.stdout.tail.len(), 32 * KIB);
    let kept = (output.stdout.head.len() + output.stdout.tail.len()) as u64;
    assert_eq!(output.stdout.cut + kept, (1000 * MB + 11) as u64);
    assert_eq!(output.stderr.cut + kept, (100 * MB) as u64);
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_from_the_start_keeps_the_start() {
    let sandbox = Sandbox::shared().await;
    let mut spec = sandbox.agent("print abcdefgh");
    spec.stdout = Stdout::CaptureHead(3);
    let output = sandbox.run(spec).await;
    assert_eq!(output.stdout.head, b"abc");
    assert_eq!(output.stdout.cut, 6);
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn output_can_go_to_a_private_file_of_its_own() {
    let sandbox = Sandbox::shared().await;
    let path = sandbox.folder.path().join("output");
    let mut spec = sandbox.agent(&format!("print hello noise {}", 3 * MB));
    spec.stdout = Stdout::File(path.clone());
    let output = sandbox.run(spec).await;
    assert!(output.stdout.is_empty());
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!(metadata.len(), (3 * MB + 6) as u64);
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_exists_is_not_written_over() {
    let sandbox = Sandbox::shared().await;
    let path = sandbox.folder.path().join("output");
    fs::write(&path, "precious").unwrap();
    let mut spec = sandbox.agent("print hello");
    spec.stdout = Stdout::File(path.clone());
    let fault = sandbox.fault(spec).await;
    assert!(matches!(fault, ProcessFault::Spawn(_)), "{fault}");
    assert!(fault.to_string().contains("output"), "{fault}");
    assert_eq!(fs::read(&path).unwrap(), b"precious");
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_input_there_is_nothing_to_read_not_even_what_the_runner_could() {
    let sandbox = Sandbox::shared().await;
    // Whatever runs the tests may have given them nothing to read either.
    let (reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(b"for the runner alone").unwrap();
    drop(writer);
    nix::unistd::dup2_stdin(reader).unwrap();
    let output = sandbox.run(sandbox.agent("read-input")).await;
    assert_eq!(output.stdout.text(), "0\n");
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_written_last_is_never_lost() {
    let sandbox = Sandbox::shared().await;
    for _ in 0..100 {
        let output = sandbox.run(sandbox.shell("echo out; echo err >&2")).await;
        assert_eq!(output.stdout.text(), "out\n");
        assert_eq!(output.stderr.text(), "err\n");
    }
    sandbox.close().await;
}

/// Through a pipe that is full at once, and from a file.
const LONG_INPUTS: [usize; 2] = [MB, 100 * MB];

#[tokio::test(flavor = "multi_thread")]
async fn input_of_a_hundred_megabytes_arrives_while_output_comes_back() {
    let sandbox = Sandbox::shared().await;
    for size in LONG_INPUTS {
        let mut spec = sandbox.shell("cat");
        spec.stdin = Stdin::Bytes(vec![b'x'; size]);
        let output = sandbox.run(spec).await;
        assert_eq!(output.exit, Exit::Code(0));
        let kept = output.stdout.head.len() + output.stdout.tail.len();
        assert_eq!(output.stdout.cut + kept as u64, size as u64);

        let mut spec = sandbox.agent("read-input");
        spec.stdin = Stdin::Bytes(vec![b'x'; size]);
        let output = sandbox.run(spec).await;
        assert_eq!(output.stdout.text(), format!("{size}\n"));
    }
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn input_is_written_when_the_process_starts_and_leaves_no_file() {
    let sandbox = Sandbox::shared().await;
    for size in [0, 10, 100 * MB] {
        let bytes = vec![b'x'; size];
        let written = |out: &mut dyn std::io::Write| {
            // A few bytes at a time, as serializers do.
            out.write_all(&bytes)?;
            out.write_all(b"y\n")
        };
        let before = fs::read_dir(sandbox.scratch()).unwrap().count();
        let spec = sandbox
            .agents(&format!("AGENT read-input; ls '{}' | wc -l", sandbox.scratch().display()));
        let output = sandbox.processes.run_reading(spec, &written).await.unwrap();
        let seen: Vec<usize> =
            output.stdout.text().lines().map(|line| line.trim().parse().unwrap()).collect();
        assert_eq!(seen, [size + 2, before]);
    }
    let fault = {
        let written = |_: &mut dyn std::io::Write| Err(std::io::Error::other("no words"));
        sandbox.processes.run_reading(sandbox.shell("touch started"), &written).await.unwrap_err()
    };
    assert!(fault.to_string().contains("no words"), "{fault}");
    assert!(!sandbox.folder.path().join("started").exists());
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_may_leave_its_input_unread() {
    let sandbox = Sandbox::shared().await;
    for size in LONG_INPUTS {
        // Closed at once while the process goes on, too.
        let closing = sandbox.shell("exec <&-; echo answer");
        for mut spec in [sandbox.agent("exit 0"), sandbox.agent("print answer exit 0"), closing] {
            spec.stdin = Stdin::Bytes(vec![b'x'; size]);
            let output = sandbox.run(spec).await;
            assert_eq!(output.exit, Exit::Code(0));
            assert!(["", "answer\n"].contains(&&*output.stdout.text()));
        }
    }
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_input_does_not_hold_up_the_deadline() {
    let sandbox = Sandbox::shared().await;
    for size in LONG_INPUTS {
        let mut spec = sandbox.agent("sleep 600");
        spec.stdin = Stdin::Bytes(vec![b'x'; size]);
        spec.deadline = Some(Duration::from_millis(300));
        let output = sandbox.run(spec).await;
        assert_eq!(output.exit, Exit::TimedOut);
    }
    sandbox.close().await;
}
