//! Moves the bytes of a process: ours into its standard input, its output into bounded captures.
//! How long that may go on is not decided here.

use std::io;

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{ChildStderr, ChildStdin, ChildStdout},
};

use super::capture::Capture;

/// As much as a pipe holds, so that one call empties it.
const READ_SIZE: usize = 64 * 1024;

#[derive(Default)]
pub(super) struct Streams {
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: Option<ChildStdout>,
    pub(super) stderr: Option<ChildStderr>,
}

/// Writes all of `bytes`. A process that closes its input or ends early has read what it wanted:
/// that is its own affair and no error.
pub(super) async fn feed(stdin: Option<ChildStdin>, bytes: Vec<u8>) {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(&bytes).await;
    }
}

/// Reads both streams until nobody holds their other end any more.
pub(super) async fn drain_both(
    stdout: Option<ChildStdout>,
    stdout_capture: &mut Capture,
    stderr: Option<ChildStderr>,
    stderr_capture: &mut Capture,
) -> io::Result<()> {
    tokio::try_join!(drain(stdout, stdout_capture), drain(stderr, stderr_capture))?;
    Ok(())
}

async fn drain(stream: Option<impl AsyncRead + Unpin>, capture: &mut Capture) -> io::Result<()> {
    let Some(mut stream) = stream else {
        return Ok(());
    };
    // Most say nothing: the room for it is not even touched.
    let mut buffer = Vec::with_capacity(READ_SIZE);
    loop {
        buffer.clear();
        match stream.read_buf(&mut buffer).await {
            Ok(0) => return Ok(()),
            Ok(_) => capture.push(&buffer),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
