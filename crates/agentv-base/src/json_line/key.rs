//! Keys of objects: texts, and what `serde_json` puts in quotes to make it one.

use serde::ser::{self, Impossible, Serialize, Serializer};
use serde_json::Error;

use super::words::text;

pub(super) struct KeyWriter<'o>(pub(super) &'o mut Vec<u8>);

fn no_key<T>() -> Result<T, Error> {
    Err(<Error as ser::Error>::custom("key must be a string"))
}

impl KeyWriter<'_> {
    fn quoted(self, number: impl Serialize) -> Result<(), Error> {
        self.0.push(b'"');
        serde_json::to_writer(&mut *self.0, &number)?;
        self.0.push(b'"');
        Ok(())
    }
}

macro_rules! quoted {
    ($($method:ident: $type:ty,)*) => {
        $(fn $method(self, value: $type) -> Result<(), Error> {
            self.quoted(value)
        })*
    };
}

macro_rules! refused {
    ($($method:ident($($type:ty),*) -> $given:ty;)*) => {
        $(fn $method(self, $(_: $type),*) -> Result<$given, Error> {
            no_key()
        })*
    };
}

type No = Impossible<(), Error>;

impl Serializer for KeyWriter<'_> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = No;
    type SerializeTuple = No;
    type SerializeTupleStruct = No;
    type SerializeTupleVariant = No;
    type SerializeMap = No;
    type SerializeStruct = No;
    type SerializeStructVariant = No;

    quoted! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_i128: i128,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_u128: u128,
    }

    refused! {
        serialize_bytes(&[u8]) -> ();
        serialize_none() -> ();
        serialize_unit() -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_seq(Option<usize>) -> No;
        serialize_tuple(usize) -> No;
        serialize_tuple_struct(&'static str, usize) -> No;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> No;
        serialize_map(Option<usize>) -> No;
        serialize_struct(&'static str, usize) -> No;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> No;
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        if value.is_finite() { self.quoted(value) } else { no_key() }
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        if value.is_finite() { self.quoted(value) } else { no_key() }
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        text(self.0, value);
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Error> {
        no_key()
    }
}
