//! The schema of a data set as Arrow keeps it in Parquet files, under the key `ARROW:schema`:
//! Parquet itself has no lists of a fixed length.

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

/// The place at which field `i` of a table is looked up.
const fn slot(i: u16) -> u16 {
    4 + 2 * i
}

/// The schema of these columns with the metadata of carom: a message of Arrow's IPC format in
/// base64. Where it is there, readers of Arrow take metadata from it alone.
pub fn schema(columns: &[Column], about: &str) -> String {
    let mut builder = FlatBufferBuilder::new();
    let fields: Vec<Table> =
        columns.iter().map(|column| column_field(&mut builder, column)).collect();
    let fields = builder.create_vector(&fields);
    let entries: Vec<Table> =
        metadata.iter().map(|(key, value)| entry(&mut builder, key, value)).collect();
    let entries = builder.create_vector(&entries);
    let start = builder.start_table();
    builder.push_slot_always(slot(1), fields);
    builder.push_slot_always(slot(2), entries);
    let schema = builder.end_table(start);
    let start = builder.start_table();
    builder.push_slot_always(slot(0), V5);
    builder.push_slot_always(slot(1), SCHEMA);
    builder.push_slot_always(slot(2), schema);
    let message = builder.end_table(start);
    builder.finish_minimal(message);
    let message = builder.finished_data();
    let length = message.len().next_multiple_of(8);
    let mut bytes = [[0xff; 4], (length as u32).to_le_bytes()].concat();
    bytes.extend(message);
    bytes.resize(8 + length, 0);
    STANDARD.encode(bytes)
}

fn entry(builder: &mut Builder, key: &str, value: &str) -> Table {
    let [key, value] = [key, value].map(|text| builder.create_string(text));
    let start = builder.start_table();
    builder.push_slot_always(slot(0), key);
    builder.push_slot_always(slot(1), value);
    builder.end_table(start)
}

fn column_field(builder: &mut Builder, column: &Column) -> Table {
    let of_number = number(builder, column.number);
    if column.shape == ColumnShape::One {
        return field(builder, &column.name, of_number, &[]);
    }
    let element = field(builder, "element", of_number, &[]);
    let start = builder.start_table();
    let kind = match column.shape {
        ColumnShape::Fixed(length) => {
            builder.push_slot_always(slot(0), length as i32);
            FIXED_SIZE_LIST
        }
        _ => LIST,
    };
    let list = builder.end_table(start);
    field(builder, &column.name, (kind, list), &[element])
}

/// A field that is never null.
fn field(builder: &mut Builder, name: &str, (kind, of): (u8, Table), children: &[Table]) -> Table {
    let name = builder.create_string(name);
    let children = builder.create_vector(children);
    let start = builder.start_table();
    builder.push_slot_always(slot(0), name);
    builder.push_slot_always(slot(1), false);
    builder.push_slot_always(slot(2), kind);
    builder.push_slot_always(slot(3), of);
    builder.push_slot_always(slot(5), children);
    builder.end_table(start)
}

fn number(builder: &mut Builder, number: ColumnNumber) -> (u8, Table) {
    let signed = number == ColumnNumber::I64;
    let start = builder.start_table();
    let (kind, bits, precision) = match number {
        ColumnNumber::Bool => (BOOL, 0, 0),
        ColumnNumber::U8 => (INT, 8, 0),
        ColumnNumber::U32 => (INT, 32, 0),
        ColumnNumber::I64 | ColumnNumber::U64 => (INT, 64, 0),
        ColumnNumber::F32 => (FLOATING_POINT, 0, 1),
        ColumnNumber::F64 => (FLOATING_POINT, 0, 2),
    };
    if kind == FLOATING_POINT {
        builder.push_slot_always::<i16>(slot(0), precision);
    }
    if kind == INT {
        builder.push_slot_always::<i32>(slot(0), bits);
        builder.push_slot_always(slot(1), signed);
    }
    (kind, builder.end_table(start))
}
