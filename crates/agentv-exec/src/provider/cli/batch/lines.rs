//! The lines of a file, each looked at where it lies in the buffer.

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader, ErrorKind},
};

use memchr::memchr;

/// Large reads: whoever looks at every line is bound by that, not by system calls.
const BUFFER: usize = 1 << 20;

/// Hands over each line in turn, with its end, until one is no good. The last need not have an end.
pub(super) fn each<E: From<io::Error>>(
    file: &File,
    mut look: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut reader = BufReader::with_capacity(BUFFER, file);
    // A line that the end of the buffer has cut in two.
    let mut begun = Vec::new();
    loop {
        let block = match reader.fill_buf() {
            Ok([]) => break,
            Ok(block) => block,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        let mut rest = block;
        while let Some((line, more)) =
            memchr(b'\n', rest).and_then(|at| rest.split_at_checked(at + 1))
        {
            if begun.is_empty() {
                look(line)?;
            } else {
                begun.extend_from_slice(line);
                look(&begun)?;
                begun.clear();
            }
            rest = more;
        }
        begun.extend_from_slice(rest);
        let length = block.len();
        reader.consume(length);
    }
    if begun.is_empty() { Ok(()) } else { look(&begun) }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, Write as _};

    use super::*;

    fn lines(text: &[u8]) -> Vec<Vec<u8>> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text).unwrap();
        file.rewind().unwrap();
        let mut lines = Vec::new();
        let look = |line: &[u8]| {
            lines.push(line.to_vec());
            Ok::<_, io::Error>(())
        };
        each(&file, look).unwrap();
        lines
    }

    #[test]
    fn every_line_is_there_with_its_end_wherever_the_buffer_ends() {
        for length in [BUFFER - 1, BUFFER, BUFFER + 1, 3 * BUFFER] {
            let long = [vec![b'x'; length], b"\n".to_vec()].concat();
            let all = [&b"\n"[..], &long, b"a\n", &long, b"b"];
            assert!(lines(&all.concat()).iter().map(Vec::as_slice).eq(all), "{length}");
        }
        assert!(lines(b"").is_empty());
        assert_eq!(lines(b"a\n"), [b"a\n"]);
    }

    #[test]
    fn nothing_is_looked_at_after_one_that_is_no_good() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"a\nb\nc\n").unwrap();
        file.rewind().unwrap();
        let mut seen = 0;
        let look = |line: &[u8]| {
            seen += 1;
            if line == b"b\n" { Err(io::ErrorKind::InvalidData.into()) } else { Ok(()) }
        };
        let error: io::Error = each(&file, look).unwrap_err();
        assert_eq!((error.kind(), seen), (io::ErrorKind::InvalidData, 2));
    }
}
