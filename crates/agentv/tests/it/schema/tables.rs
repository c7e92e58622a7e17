//! Every key of every table, under every spelling, with a right and with a wrong value: what the
//! readers of settings take, the schema takes too, and no more.

use std::collections::BTreeMap;

use agentv_base::{Entry, Fields, Key, Node, NodeValue, Part, Problems, Shape, Span, TARGET_KEYS};
use agentv_case::language;
use agentv_grade::COMMON_KEYS;
use jsonschema::Validator;
use serde_json::{Map, Value, json};

use super::{faults, schema, validator};

/// A table, and the definition that it became.
struct Table {
    /// None: the schema itself.
    definition: Option<String>,
    keys: &'static [Key],
}

/// The tables of a schema: the root, the parts below it, graders and targets.
fn tables(kind: &str, root: &Part) -> Vec<Table> {
    let mut parts = BTreeMap::new();
    let mut tables = vec![Table { definition: None, keys: keys_of(root) }];
    collect_all(&root.tables.concat(), &mut parts);
    if kind == "suite" {
        for grader in agentv_grade::kinds() {
            let keys = [COMMON_KEYS, grader.keys()].concat();
            collect_all(&keys, &mut parts);
            let definition = Some(format!("grader_{}", grader.name()));
            tables.push(Table { definition, keys: keys.leak() });
        }
    }
    if kind != "config" {
        for provider in agentv_exec::provider::KINDS {
            // A name and a provider are given in several ways.
            let optional = TARGET_KEYS.iter().map(|key| Key { required: false, ..*key });
            let keys: Vec<Key> = optional.chain(provider.keys().iter().copied()).collect();
            collect_all(&keys, &mut parts);
            let definition = Some(format!("target_{}", provider.name()));
            tables.push(Table { definition, keys: keys.leak() });
        }
    }
    tables.extend(parts.into_values());
    tables
}

fn keys_of(part: &Part) -> &'static [Key] {
    part.tables.concat().leak()
}

fn collect_all(keys: &[Key], parts: &mut BTreeMap<String, Table>) {
    for key in keys {
        collect(&key.shape, parts);
    }
}

/// The parts that a value of this shape can have in it.
#[expect(clippy::wildcard_enum_match_arm, reason = "most shapes have no parts")]
fn collect(shape: &Shape, parts: &mut BTreeMap<String, Table>) {
    match shape {
        Shape::Part(part) => {
            let name = part.what.replace(' ', "_");
            let keys = keys_of(part);
            let names = |keys: &[Key]| keys.iter().map(|key| key.name).collect::<Vec<_>>();
            if let Some(known) = parts.get(&name) {
                assert_eq!(names(known.keys), names(keys), "two parts are called {name}");
                return;
            }
            parts.insert(name.clone(), Table { definition: Some(name), keys });
            collect_all(keys, parts);
        }
        Shape::Tagged(tagged) => {
            for (_, part) in tagged.parts {
                collect(&Shape::Part(part), parts);
            }
        }
        Shape::Either(shapes) => shapes.iter().for_each(|shape| collect(shape, parts)),
        Shape::List(inner) | Shape::MapOf(inner) => collect(inner, parts),
        _ => {}
    }
}

/// A value of a shape.
fn right(shape: &Shape) -> Value {
    match shape {
        Shape::Text | Shape::Name | Shape::Scalar | Shape::Any => json!("a"),
        Shape::Bool => json!(true),
        Shape::Number | Shape::Positive | Shape::Limit | Shape::Share => json!(0.5),
        Shape::Count => json!(1),
        Shape::CountLimit => json!(0),
        Shape::Choice(words) => json!(words[0]),
        Shape::AnyMap => json!({"a": 1}),
        Shape::MapOf(inner) => json!({"a": right(inner)}),
        Shape::List(inner) => json!([right(inner)]),
        Shape::Part(part) => Value::Object(needed(&part.tables.concat())),
        Shape::Tagged(tagged) => {
            let (tag, part) = tagged.parts[0];
            let mut map = needed(&part.tables.concat());
            map.insert(tagged.key.to_owned(), json!(tag));
            Value::Object(map)
        }
        Shape::Either(shapes) => right(&shapes[0]),
        Shape::Named("grader") => json!({"type": "contains", "value": "a"}),
        Shape::Named(_) => json!({"name": "a", "provider": "cli", "command": "a"}),
        Shape::Later(_) => json!(null),
    }
}

/// Values that a shape forbids.
fn wrong(shape: &Shape) -> Vec<Value> {
    match shape {
        Shape::Text => vec![json!(1), json!(true), json!(["a"]), json!({})],
        Shape::Name => vec![json!(1), json!(""), json!("\t "), json!(["a"]), json!({})],
        Shape::Bool => vec![json!(1), json!("yes"), json!(""), json!([])],
        Shape::Number => vec![json!("a"), json!(true), json!("1 2"), json!("1,5"), json!("")],
        Shape::Positive => vec![json!(0), json!(-1), json!("0"), json!("-1"), json!("a")],
        Shape::Count => vec![json!(0), json!(1.5), json!("0"), json!("1.5"), json!("-1")],
        Shape::Limit => vec![json!(-1), json!(-0.5), json!("-1"), json!("a"), json!(true)],
        Shape::CountLimit => vec![json!(-1), json!(1.5), json!("1.5"), json!("-1"), json!("a")],
        Shape::Share => vec![json!(1.5), json!(-0.5), json!("1.01"), json!("2"), json!(true)],
        Shape::Scalar => vec![json!([]), json!({})],
        Shape::Choice(_) => vec![json!("another"), json!(1), json!([])],
        Shape::AnyMap | Shape::Part(_) | Shape::Tagged(_) => vec![json!("a"), json!(["a"])],
        Shape::MapOf(inner) => {
            let inner = wrong(inner).into_iter().map(|value| json!({"a": value}));
            [json!("a"), json!(["a"])].into_iter().chain(inner).collect()
        }
        Shape::List(inner) => {
            let inner = wrong(inner).into_iter().map(|value| json!([value]));
            [json!(1), json!({"a": 1})].into_iter().chain(inner).collect()
        }
        Shape::Either(shapes) if shapes.iter().any(|shape| matches!(shape, Shape::Bool)) => {
            vec![json!([]), json!({})]
        }
        Shape::Either(shapes) if shapes.iter().any(|shape| matches!(shape, Shape::Scalar)) => {
            vec![json!({})]
        }
        Shape::Either(_) => vec![json!(true)],
        Shape::Named(_) => vec![json!(1), json!({}), json!([])],
        Shape::Any | Shape::Later(_) => Vec::new(),
    }
}

/// The keys without which a map is not right.
fn needed(keys: &[Key]) -> Map<String, Value> {
    let needed = keys.iter().filter(|key| key.required);
    needed.map(|key| (key.name.to_owned(), right(&key.shape))).collect()
}

fn node(value: &Value) -> Node {
    let value = match value {
        Value::Null => NodeValue::Null,
        Value::Bool(value) => NodeValue::Bool(*value),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => NodeValue::Integer(integer),
            None => NodeValue::Float(number.as_f64().unwrap()),
        },
        Value::String(text) => NodeValue::String(text.as_str().into()),
        Value::Array(items) => NodeValue::List(items.iter().map(node).collect()),
        Value::Object(map) => {
            let entry = |(key, value): (&String, &Value)| Entry {
                key: key.as_str().into(),
                key_span: Span::default(),
                value: node(value),
            };
            NodeValue::Map(map.iter().map(entry).collect())
        }
    };
    Node::new(Span::default(), value)
}

/// What reading a map by its table, and this key by its shape, says against it.
#[expect(clippy::wildcard_enum_match_arm, reason = "some shapes have readers of their own")]
fn said(map: &Map<String, Value>, keys: &'static [Key], key: &Key) -> Vec<String> {
    let node = node(&Value::Object(map.clone()));
    let mut problems = Problems::default();
    let fields = Fields::read(&node, "part", &[keys], &mut problems).unwrap();
    let problems = &mut problems;
    for key in keys.iter().filter(|key| key.required) {
        fields.required(key.name, problems);
    }
    match key.shape {
        Shape::Text => drop(fields.string(key.name, problems)),
        Shape::Name => drop(fields.non_blank(key.name, problems)),
        Shape::Bool => drop(fields.boolean(key.name, problems)),
        Shape::Number => drop(fields.number(key.name, problems)),
        Shape::Positive => drop(fields.positive(key.name, problems)),
        Shape::Count => drop(fields.count(key.name, problems)),
        Shape::Limit => drop(fields.limit(key.name, problems)),
        Shape::CountLimit => drop(fields.count_limit(key.name, problems)),
        Shape::Choice(words) => {
            let words: Vec<_> = words.iter().map(|word| (*word, ())).collect();
            let _ = fields.choice(key.name, &words, problems);
        }
        Shape::List(_) => drop(fields.list(key.name, problems)),
        Shape::AnyMap | Shape::MapOf(_) | Shape::Part(_) => drop(fields.map(key.name, problems)),
        _ => {}
    }
    problems.iter().map(|problem| problem.message.clone()).collect()
}

/// Whether `said` looks at values of this shape, and not only at keys.
fn is_read_by_shape(shape: &Shape, value: &Value) -> bool {
    use Shape::{
        AnyMap, Bool, Choice, Count, CountLimit, Limit, List, MapOf, Name, Number, Part, Positive,
        Text,
    };
    matches!(shape, Choice(_) | Text | Name | Bool | Number | Positive | Count | Limit | CountLimit)
        || matches!(shape, List(_)) && !value.is_array()
        || matches!(shape, AnyMap | MapOf(_) | Part(_)) && !value.is_object()
}

/// The validator of one definition of a schema.
fn validator_of(schema: &Value, table: &Table) -> Validator {
    match &table.definition {
        None => validator(schema),
        Some(name) => {
            assert!(schema["definitions"][name].is_object(), "{name} is not defined");
            validator(&json!({
                "$ref": format!("#/definitions/{name}"), "definitions": schema["definitions"],
            }))
        }
    }
}

fn for_every_key(mut check: impl FnMut(&str, &Validator, &Table, &Key, &str)) {
    let mut seen = 0;
    for (kind, root) in
        [("suite", language::SUITE), ("targets", language::TARGETS), ("config", language::CONFIG)]
    {
        let schema = schema(kind);
        for table in tables(kind, &root) {
            let validator = validator_of(&schema, &table);
            for key in table.keys {
                for name in key.spellings() {
                    let place = format!("{kind}, {:?}, `{name}`", table.definition);
                    check(&place, &validator, &table, key, &name);
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 200, "the tables were not found: {seen} names");
}

/// The smallest map that is right but for the value of this key, under this name.
fn map_with(table: &Table, key: &Key, name: &str, value: Value) -> Map<String, Value> {
    let mut map = needed(table.keys);
    map.shift_remove(key.name);
    map.insert(name.to_owned(), value);
    map
}

#[test]
fn every_key_is_taken_under_every_name() {
    for_every_key(|place, validator, table, key, name| {
        let map = map_with(table, key, name, right(&key.shape));
        let supported = !matches!(key.shape, Shape::Later(_));
        let said = said(&map, table.keys, key);
        let faults = faults(validator, &Value::Object(map));
        assert_eq!(said.is_empty(), supported, "{place}: {said:?}");
        assert_eq!(faults.is_empty(), supported, "{place}: {faults:?}");
    });
}

#[test]
fn a_word_is_taken_in_kebab_case_and_with_blanks_around_it() {
    for_every_key(|place, validator, table, key, name| {
        let Shape::Choice(words) = key.shape else { return };
        for word in words {
            let typed = json!(format!(" {} ", word.replace('_', "-")));
            let map = map_with(table, key, name, typed);
            assert_eq!(said(&map, table.keys, key), [""; 0], "{place}: {word}");
            assert_eq!(faults(validator, &Value::Object(map)), [""; 0], "{place}: {word}");
        }
    });
}

#[test]
fn null_is_absent_unless_the_key_is_needed() {
    for_every_key(|place, validator, table, key, name| {
        let map = map_with(table, key, name, Value::Null);
        let fine = !key.required && !matches!(key.shape, Shape::Later(_));
        let said = said(&map, table.keys, key);
        let faults = faults(validator, &Value::Object(map));
        assert_eq!(said.is_empty(), fine, "{place}: {said:?}");
        assert_eq!(faults.is_empty(), fine, "{place}: {faults:?}");
    });
}

#[test]
fn a_value_of_another_shape_is_refused() {
    for_every_key(|place, validator, table, key, name| {
        for value in wrong(&key.shape) {
            let map = map_with(table, key, name, value.clone());
            if is_read_by_shape(&key.shape, &value) {
                assert_ne!(said(&map, table.keys, key), [""; 0], "{place}: {value}");
            }
            let faults = faults(validator, &Value::Object(map));
            assert!(!faults.is_empty(), "{place}: {value}");
        }
    });
}

#[test]
fn a_key_under_two_names_is_refused() {
    for_every_key(|place, validator, table, key, name| {
        if name == key.name {
            return;
        }
        let mut map = map_with(table, key, name, right(&key.shape));
        map.insert(key.name.to_owned(), right(&key.shape));
        assert_ne!(said(&map, table.keys, key), [""; 0], "{place}");
        assert!(!faults(validator, &Value::Object(map)).is_empty(), "{place}");
    });
}

#[test]
fn a_name_that_nobody_knows_is_refused() {
    for_every_key(|place, validator, table, key, name| {
        let unknown = format!("{name}_of_mine");
        let mut map = map_with(table, key, name, right(&key.shape));
        map.insert(unknown, json!("a"));
        assert_ne!(said(&map, table.keys, key), [""; 0], "{place}");
        assert!(!faults(validator, &Value::Object(map)).is_empty(), "{place}");
    });
}
