use std::ffi::OsStr;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::LazyLock;

use super::values::{law, samples};
use carom_core::error::Result;
use carom_engine::run::{Field, Run};
use carom_forecast::identify::modelled;
use carom_law::{Law, Plus};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value};

/// The fields of a run that are flags of a command.
pub trait Flags: Clone + Send + Sync + 'static {
    fn have(field: &Field) -> bool;
}
/// The flags of a run; the number of samples is the command's.
#[derive(Clone, Debug)]
pub struct OfRun;

impl Flags for OfRun {
    fn have(field: &Field) -> bool {
        field.name != "samples"
    }
}

/// The flags of a picture, which is of the outcomes of a law; `--model` is the law compliant's.
#[derive(Clone, Debug)]
pub struct OfPicture;

impl Flags for OfPicture {
    fn have(field: &Field) -> bool {
        OfRun::have(field) && !["model", "law_only"].contains(&&*field.name)
    }
}

/// The options that only the law plus has.
#[derive(Clone, Debug)]
pub struct OfPlus;

impl Flags for OfPlus {
    fn have(field: &Field) -> bool {
        field.laws == [Plus::NAME]
    }
}

/// The fields of a run that some flags of a command line set.
#[derive(Clone, Debug)]
pub struct Asked<F = OfRun> {
    fields: Map<String, Value>,
    flags: PhantomData<F>,
}

type Parsed<T = ()> = Result<T, clap::Error>;

impl Asked<OfPlus> {
    pub fn plus(&self) -> Result<Plus> {
        let mut fields = self.fields.clone();
        fields.insert("law".to_string(), Plus::NAME.into());
        match Run::of(fields)?.law {
            Law::Plus(plus) => Ok(plus),
            _ => Ok(Plus::default()),
        }
    }

    /// The flags, and whether each is given.
    pub fn flags(&self) -> Vec<(&'static str, bool)> {
        fields::<OfPlus>().map(|field| (&*field.flag, self.given(&field.name).is_some())).collect()
    }
}

impl<F: Flags> Asked<F> {
    pub fn law(&self) -> &str {
        self.given("law").and_then(Value::as_str).unwrap_or(Law::NAMES[0])
    }

    pub fn given(&self, field: &str) -> Option<&Value> {
        self.fields.get(field)
    }

    pub fn restitution(&self) -> Option<f64> {
        self.given("restitution").and_then(Value::as_f64)
    }

    /// The requested run with this number of samples; reads its model file, if any.
    pub fn modelled(&self, samples: Option<u64>) -> Result<Run> {
        modelled(self.run(samples)?, Path::new(""))
    }

    /// The requested run, without reading its model file.
    pub fn run(&self, samples: Option<u64>) -> Result<Run> {
        Ok(Run { samples, ..Run::of(self.fields.clone())? })
    }
}

fn fields<F: Flags>() -> impl Iterator<Item = &'static Field> {
    Field::all().iter().filter(|field| F::have(field))
}

/// A value of a field; words of a list are shown as such.
#[derive(Clone)]
struct FieldParser(&'static Field);

impl TypedValueParser for FieldParser {
    type Value = Value;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Parsed<Value> {
        let field = self.0;
        let parse = move |text: &str| {
            if field.name == "law" {
                return law(text).map(Value::from);
            }
            let short = samples(text).ok().filter(|_| field.kind() == Some("integer"));
            let value = short.map_or_else(|| field.parse(text), |n| field.check(Value::from(n)));
            value.map_err(|error| error.what)
        };
        parse.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let words = self.0.words();
        // Each word has the first sentence of its meaning.
        let word = |(word, meaning): (&'static str, &str)| {
            let meaning = plain(meaning);
            let sentence = meaning.split(". ").next().unwrap_or_default();
            PossibleValue::new(word).help(sentence.trim_end_matches('.').to_string())
        };
        (!words.is_empty()).then(|| Box::new(words.into_iter().map(word)) as _)
    }
}
/// A text of the schema without its marks.
fn plain(text: &str) -> String {
    let mut text = text.replace('\n', " ");
    text.retain(|c| !matches!(c, '`' | '\\'));
    text
}

fn arg(field: &'static Field) -> Arg {
    let value = match (field.name.as_str(), field.kind()) {
        ("law", _) => "LAW",
        ("model", _) => "FILE",
        ("uncertainty", _) => "mu=A..B,e=A..B,inertia=A..B,noise=S,...",
        (_, Some("integer")) => "N",
        (_, Some("number")) => "X",
        _ => "WORD",
    };
    let meaning = |(laws, meaning): (Vec<&str>, &str)| {
        let of = if laws.is_empty() { String::new() } else { laws.join(", ") + ": " };
        of + plain(meaning).trim_end_matches('.')
    };
    let meanings: Vec<String> = field.meanings().into_iter().map(meaning).collect();
    let default = match field.default() {
        Some(value) if field.name != "law" => format!(" [default: {value}]").replace('"', ""),
        _ => String::new(),
    };
    let heading = match field.laws.len() {
        0 => "Run".to_string(),
        _ => format!("Options of {}", field.laws.join(", ")),
    };
    let arg = Arg::new(&*field.name)
        .long(field.flag.trim_start_matches("--"))
        .help(meanings.join("; ") + &default)
        .help_heading(heading);
    if field.kind() == Some("boolean") {
        return arg.action(ArgAction::SetTrue);
    }
    let parser = FieldParser(field);
    let arg = arg.value_name(value).value_parser(parser).allow_negative_numbers(true);
    if field.name == "law" { arg.default_value(Law::NAMES[0]) } else { arg }
}

impl<F: Flags> clap::FromArgMatches for Asked<F> {
    fn from_arg_matches(matches: &ArgMatches) -> Parsed<Self> {
        let mut asked = Asked { fields: Map::new(), flags: PhantomData };
        asked.update_from_arg_matches(matches)?;
        Ok(asked)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Parsed {
        for field in fields::<F>() {
            let name = field.name.as_str();
            if matches.value_source(name) != Some(ValueSource::CommandLine) {
                continue;
            }
            let value = match field.kind() {
                Some("boolean") => Some(Value::from(matches.get_flag(name))),
                _ => matches.get_one::<Value>(name).cloned(),
            };
            self.fields.extend(value.map(|value| (field.name.clone(), value)));
        }
        Ok(())
    }
}

impl<F: Flags> clap::Args for Asked<F> {
    fn augment_args(command: Command) -> Command {
        // Commands share the flags, whose texts are put together once.
        static FLAGS: LazyLock<Vec<Arg>> = LazyLock::new(|| Field::all().iter().map(arg).collect());
        let flags = Field::all().iter().zip(FLAGS.iter());
        command.args(flags.filter(|(field, _)| F::have(field)).map(|(_, flag)| flag.clone()))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
