/**
 * Every value begins with a byte: its kind in the upper three bits, a number in the lower five. 31 there means that the
 * rest of the number follows, so that the commonest values are one byte and no kind needs a second, long form.
 */
export const INTEGER = 0; // the number itself
export const NEGATIVE = 1; // minus the number
export const STRING = 2; // of that length; its text is in the text section
export const STRING_AGAIN = 3; // the string of that number in the table
export const ARRAY = 4; // of that length; its items follow
export const OBJECT = 5; // of the shape of that number, which is described first if it is new; the values follow
export const REFERENCE = 6; // the object of that number
export const SPECIAL = 7; // what the number says, below

/** The largest number in a first byte; from here on, what it lacks follows. */
export const LONG = 31;

// The numbers of specials.
export const UNDEFINED = 0;
export const NULL = 1;
export const FALSE = 2;
export const TRUE = 3;
export const FLOAT = 4; // eight bytes, the lowest first
export const HUNDREDTHS = 5; // an integer follows: 19.99 is 1999, zigzag
export const BIGINT = 6; // its decimal digits follow, as a string
export const EXTENSION = 7; // its kind follows, or the name of its class, then its payload
export const NUMBERS = 8; // an array of numbers: what a typed array of them would be follows
export const FORGET = 9; // between the values of a sequence: all shapes and strings
export const FIRST_TYPE = 10; // and on: the types of `TYPE_NAMES`, in their order

/** The first byte of the first special. */
export const FIRST_SPECIAL = SPECIAL << 5;

/** The first byte that says to forget. */
export const RESET = (SPECIAL << 5) | FORGET;

/** Added to twice the number of keys of a new shape: its objects have no prototype. */
export const NULL_PROTOTYPE = 1;

/** Twice the number of the last class of views that a block of numbers may be of: Float64Array. */
export const LAST_BLOCK = 16;

/** Strings of these lengths go into the table. */
export const MIN_REMEMBERED = 3;
export const MAX_REMEMBERED = 63;

/** The last byte of an encoding: up to this, the number of bytes of text before it. */
export const MAX_SHORT_TEXT = 0xfb;
/** As the last byte: the four bytes before it are the number of bytes of text, the highest first. */
export const LONG_TEXT = 0xff;
/** The same, and the text is UTF-16: because it is not well-formed Unicode, or because that suits it. */
export const UTF16_TEXT = 0xfe;
