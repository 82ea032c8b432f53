/**
 * The first byte of every value in the binary form. The five ranges keep the commonest things to one byte; their low
 * bits hold the number itself.
 */
export const SMALL_INTEGER = 0x00; // 0 to 63
export const SHORT_STRING = 0x40; // length 0 to 31
export const SHAPE = 0x60; // the first 32 shapes
export const STRING_AGAIN = 0x80; // the first 32 strings of the table
export const SHORT_ARRAY = 0xa0; // length 0 to 15

export const UNDEFINED = 0xb0;
export const NULL = 0xb1;
export const FALSE = 0xb2;
export const TRUE = 0xb3;
export const INTEGER = 0xb4;
export const NEGATIVE_INTEGER = 0xb5;
export const HUNDREDTHS = 0xb6;
export const FLOAT32 = 0xb7;
export const FLOAT64 = 0xb8;
export const BIGINT = 0xb9;
export const NEGATIVE_BIGINT = 0xba;
export const LONG_STRING = 0xbb;
export const LONG_STRING_AGAIN = 0xbc;
export const LONG_ARRAY = 0xbd;
export const HOLES = 0xbe;
export const LONG_SHAPE = 0xbf;
export const NEW_SHAPE = 0xc0;
export const DICTIONARY = 0xc1;
export const NULL_PROTOTYPE = 0xc2;
export const REFERENCE = 0xc3;
export const EXTENSION = 0xc4;

/** From here on: the types of `TYPE_NAMES`, in their order. */
export const FIRST_TYPE = 0xd0;

/** The last byte of an encoding: up to this, the bytes of its only text chunk; above it, `CHUNK_DIRECTORY`. */
export const MAX_INLINE_CHUNK = 0xfb;
export const CHUNK_DIRECTORY = 0xff;
/** Set in a chunk's length where the chunk is UTF-16, because its text is not well-formed Unicode. */
export const UTF16_CHUNK = 0x8000_0000;

/** Text is decoded a chunk at a time, and strings are slices of it: a kept string keeps at most this many units alive. */
export const CHUNK_UNITS = 4096;
/** Strings of these lengths are remembered, so that the next one alike costs one or two bytes. */
export const MIN_REMEMBERED = 3;
export const MAX_REMEMBERED = 63;
/** Objects of more keys than this are dictionaries, whose keys say nothing about other objects. */
export const MAX_SHAPE_KEYS = 64;
/** Past this many shapes an encoding's objects are not alike, and remembering them costs more than it saves. */
export const MAX_SHAPES = 4096;
