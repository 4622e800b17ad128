//! The Arrow schema of a data set for Parquet files, under the key `ARROW:schema`: Parquet itself
//! has no lists of fixed length.

use crate::columns::{Column, ColumnNumber, ColumnShape};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flatbuffers::{FlatBufferBuilder, TableFinishedWIPOffset, WIPOffset};

type Table = WIPOffset<TableFinishedWIPOffset>;
type Builder = FlatBufferBuilder<'static>;

/// Members of unions and of enumerations in Arrow's `Schema.fbs` and `Message.fbs`.
const INT: u8 = 2;
const FLOATING_POINT: u8 = 3;
const BOOL: u8 = 6;
const LIST: u8 = 12;
const FIXED_SIZE_LIST: u8 = 16;
const SCHEMA: u8 = 1;
const V5: i16 = 4;

/// A flatbuffer table with values in numbered fields.
macro_rules! table {
    ($builder:ident $(, $field:literal: $value:expr)*) => {{
        let start = $builder.start_table();
        $($builder.push_slot_always(4 + 2 * $field, $value);)*
        $builder.end_table(start)
    }};
}

/// The Arrow schema of some columns, with the metadata of carom: a message of Arrow's IPC format in
/// base64. If a file has the schema, Arrow readers take metadata from the schema alone.
pub fn schema(columns: &[Column], about: &str) -> String {
    let mut builder = FlatBufferBuilder::new();
    let fields: Vec<Table> =
        columns.iter().map(|column| column_field(&mut builder, column)).collect();
    let fields = builder.create_vector(&fields);
    let [key, value] = ["carom", about].map(|text| builder.create_string(text));
    let entry = table!(builder, 0: key, 1: value);
    let entries = builder.create_vector(&[entry]);
    let schema = table!(builder, 1: fields, 2: entries);
    let message = table!(builder, 0: V5, 1: SCHEMA, 2: schema);
    builder.finish_minimal(message);
    let message = builder.finished_data();
    let length = message.len().next_multiple_of(8);
    let mut bytes = [[0xff; 4], (length as u32).to_le_bytes()].concat();
    bytes.extend(message);
    bytes.resize(8 + length, 0);
    STANDARD.encode(bytes)
}

fn column_field(builder: &mut Builder, column: &Column) -> Table {
    let of_number = number(builder, column.number);
    if column.shape == ColumnShape::One {
        return field(builder, &column.name, of_number, &[]);
    }
    let element = field(builder, "element", of_number, &[]);
    let list = match column.shape {
        ColumnShape::Fixed(length) => (FIXED_SIZE_LIST, table!(builder, 0: length as i32)),
        _ => (LIST, table!(builder)),
    };
    field(builder, &column.name, list, &[element])
}

/// A non-nullable field.
fn field(builder: &mut Builder, name: &str, (kind, of): (u8, Table), children: &[Table]) -> Table {
    let name = builder.create_string(name);
    let children = builder.create_vector(children);
    table!(builder, 0: name, 1: false, 2: kind, 3: of, 5: children)
}

fn number(builder: &mut Builder, number: ColumnNumber) -> (u8, Table) {
    let (bits, signed): (i32, bool) = match number {
        ColumnNumber::Bool => return (BOOL, table!(builder)),
        ColumnNumber::F32 => return (FLOATING_POINT, table!(builder, 0: 1_i16)),
        ColumnNumber::F64 => return (FLOATING_POINT, table!(builder, 0: 2_i16)),
        ColumnNumber::U8 => (8, false),
        ColumnNumber::U32 => (32, false),
        ColumnNumber::U64 => (64, false),
        ColumnNumber::I64 => (64, true),
    };
    (INT, table!(builder, 0: bits, 1: signed))
}
