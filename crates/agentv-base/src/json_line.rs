//! JSON on one line, byte for byte as `serde_json` writes it, in far fewer instructions.
//!
//! Rows, requests and fingerprints are written by the million, and most of what that takes is to look
//! at texts and keys one byte at a time and to hand them on in small pieces. Here a text is looked at
//! sixteen bytes at a time and copied in one piece. Numbers are left to `serde_json`, and a property
//! test holds the two together. Only `RawValue`, which it alone can write, has no place here.

mod key;
mod plain;
mod words;

use std::fmt::{self, Write as _};

use serde::ser::{
    self, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::Error;

pub use self::plain::plain_prefix;
use self::{
    key::KeyWriter,
    words::{Pieces, text, whole},
};

/// Appends the value to what is there. Where that fails, a piece of it may have been appended.
pub fn append_json<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) -> Result<(), Error> {
    value.serialize(Writer { out })
}

struct Writer<'o> {
    out: &'o mut Vec<u8>,
}

/// A list or an object that is begun.
struct Open<'o> {
    out: &'o mut Vec<u8>,
    is_empty: bool,
    /// What ends it: one byte, or two where it stands in an object of its own.
    end: &'static [u8],
}

impl<'o> Writer<'o> {
    fn open(self, begin: u8, end: &'static [u8]) -> Open<'o> {
        self.out.push(begin);
        Open { out: self.out, is_empty: true, end }
    }

    /// The one member of an object, of which the value is to follow.
    fn variant(self, name: &str) -> Self {
        self.out.push(b'{');
        words::key(self.out, true, name);
        self
    }

    fn literal(self, literal: &str) {
        self.out.extend_from_slice(literal.as_bytes());
    }
}

impl Open<'_> {
    fn next(&mut self) {
        if !std::mem::replace(&mut self.is_empty, false) {
            self.out.push(b',');
        }
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.next();
        append_json(self.out, value)
    }

    fn member<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), Error> {
        words::key(self.out, std::mem::replace(&mut self.is_empty, false), key);
        append_json(self.out, value)
    }

    fn close(self) {
        self.out.extend_from_slice(self.end);
    }
}

macro_rules! numbers {
    ($($method:ident: $type:ty,)*) => {
        $(fn $method(self, value: $type) -> Result<(), Error> {
            serde_json::Serializer::new(self.out).$method(value)
        })*
    };
}

impl<'o> Serializer for Writer<'o> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Open<'o>;
    type SerializeTuple = Open<'o>;
    type SerializeTupleStruct = Open<'o>;
    type SerializeTupleVariant = Open<'o>;
    type SerializeMap = Open<'o>;
    type SerializeStruct = Open<'o>;
    type SerializeStructVariant = Open<'o>;

    numbers! {
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
        serialize_f32: f32,
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        match whole(value) {
            Some(number) => {
                serde_json::Serializer::new(&mut *self.out).serialize_i64(number)?;
                self.literal(".0");
                Ok(())
            }
            None => serde_json::Serializer::new(self.out).serialize_f64(value),
        }
    }

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.literal(if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        text(self.out, value.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        text(self.out, value);
        Ok(())
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<(), Error> {
        self.out.push(b'"');
        write!(Pieces(self.out), "{value}")
            .map_err(|_| <Error as ser::Error>::custom("a value could not be written as text"))?;
        self.out.push(b'"');
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.literal("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Error> {
        self.serialize_str(variant)
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
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let Self { out } = self.variant(variant);
        append_json(out, value)?;
        out.push(b'}');
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Open<'o>, Error> {
        Ok(self.open(b'[', b"]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Open<'o>, Error> {
        Ok(self.open(b'[', b"]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Open<'o>, Error> {
        Ok(self.open(b'[', b"]"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'o>, Error> {
        Ok(self.variant(variant).open(b'[', b"]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Open<'o>, Error> {
        Ok(self.open(b'{', b"}"))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Open<'o>, Error> {
        Ok(self.open(b'{', b"}"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'o>, Error> {
        Ok(self.variant(variant).open(b'{', b"}}"))
    }
}

macro_rules! lists {
    ($($kind:ident: $method:ident,)*) => {
        $(impl $kind for Open<'_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.item(value)
            }

            fn end(self) -> Result<(), Error> {
                self.close();
                Ok(())
            }
        })*
    };
}

lists! {
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field,
}

macro_rules! objects {
    ($($kind:ident,)*) => {
        $(impl $kind for Open<'_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), Error> {
                self.member(key, value)
            }

            fn end(self) -> Result<(), Error> {
                self.close();
                Ok(())
            }
        })*
    };
}

objects! {
    SerializeStruct,
    SerializeStructVariant,
}

impl SerializeMap for Open<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.next();
        key.serialize(KeyWriter(self.out))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.out.push(b':');
        append_json(self.out, value)
    }

    fn end(self) -> Result<(), Error> {
        self.close();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
