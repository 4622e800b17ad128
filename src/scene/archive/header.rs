use std::io::Read;

/// The longest text of a header that is read, in bytes.
const LONGEST: usize = 1 << 16;

/// The type and the shape of an array.
#[derive(Clone, Debug)]
pub struct Header {
    /// Byte order, kind and bytes of a number: `<f8`.
    pub kind: String,
    /// Whether numbers are stored column by column.
    pub fortran: bool,
    /// The lengths of its sides.
    pub shape: Vec<usize>,
}

impl Header {
    /// Reads a header of any version, up to the first number.
    pub fn read(from: &mut impl Read) -> Option<Header> {
        let mut start = [0; 8];
        from.read_exact(&mut start).ok()?;
        let version = start.strip_prefix(b"\x93NUMPY")?[0];
        let mut length = [0; 4];
        from.read_exact(&mut length[..if version == 1 { 2 } else { 4 }]).ok()?;
        let length =
            usize::try_from(u32::from_le_bytes(length)).ok().filter(|length| *length <= LONGEST)?;
        let mut text = vec![0; length];
        from.read_exact(&mut text).ok()?;
        let text: String = std::str::from_utf8(&text).ok()?.split_whitespace().collect();
        let text = text.replace('"', "'");
        let after = |key: &str| Some(text.split_once(&format!("'{key}':"))?.1);
        let shape = after("shape")?.strip_prefix('(')?.split_once(')')?.0;
        let lengths = shape.split(',').filter(|length| !length.is_empty());
        Some(Header {
            kind: after("descr")?.strip_prefix('\'')?.split_once('\'')?.0.to_string(),
            fortran: after("fortran_order")?.starts_with("True"),
            shape: lengths.map(|length| length.parse().ok()).collect::<Option<_>>()?,
        })
    }

    /// A header as it stands in a file: numbers begin at a multiple of 64 bytes.
    pub fn written(kind: &str, shape: &[usize]) -> Vec<u8> {
        let lengths: String = shape.iter().map(|length| format!("{length}, ")).collect();
        let mut text =
            format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({lengths}), }}")
                .into_bytes();
        let start = 10;
        text.resize((start + text.len() + 1).next_multiple_of(64) - start - 1, b' ');
        text.push(b'\n');
        [&b"\x93NUMPY\x01\x00"[..], &(text.len() as u16).to_le_bytes(), &text].concat()
    }

    /// Bytes of an entry; none where they are no number. Texts have four bytes for each letter.
    pub fn size(&self) -> Option<usize> {
        let size: usize = self.kind.get(2..)?.parse().ok()?;
        if self.is_text() { size.checked_mul(4) } else { Some(size) }
    }

    /// Whether entries are texts.
    pub fn is_text(&self) -> bool {
        self.kind.get(1..2) == Some("U")
    }

    /// The number of numbers, unless that overflows.
    pub fn count(&self) -> Option<usize> {
        self.shape.iter().try_fold(1, |count: usize, &length| count.checked_mul(length))
    }

    /// The function that reads a number from its bytes, for the types f4, f8 and integers.
    pub fn number(&self) -> Option<impl Fn(&[u8]) -> f64 + use<>> {
        let (size, big, kind) =
            (self.size()?, self.kind.starts_with('>'), self.kind.get(1..2)?.to_string());
        let possible = match kind.as_str() {
            "f" => [4, 8].contains(&size),
            "i" | "u" => [1, 2, 4, 8].contains(&size),
            _ => false,
        };
        possible.then_some(move |bytes: &[u8]| {
            let add = |bits: u64, byte: &u8| bits << 8 | u64::from(*byte);
            let bits =
                if big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) };
            let unused = 64 - 8 * size as u32;
            match kind.as_str() {
                "f" if size == 4 => f64::from(f32::from_bits(bits as u32)),
                "f" => f64::from_bits(bits),
                "i" => ((bits << unused) as i64 >> unused) as f64,
                _ => bits as f64,
            }
        })
    }
}
