const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const NAME_BYTES = 16;
/** Names for which random bytes are drawn at once: to ask for them takes longer than to draw them. */
const NAMES_AT_ONCE = 32;

let random: Uint8Array | undefined;
let used = 0;

/** Makes a name that nobody else has and nobody can guess: 128 random bits in hexadecimal. */
export function randomName(): string {
  // Not before: a Worker may ask for random numbers only while it handles something.
  random ??= new Uint8Array(NAMES_AT_ONCE * NAME_BYTES);
  if (used % random.length === 0) crypto.getRandomValues(random);
  // By hand: `randomUUID` is missing in pages that did not come over https.
  let name = '';
  for (let i = 0; i < NAME_BYTES; i++) name += HEX[random[used++ % random.length]];
  return name;
}
