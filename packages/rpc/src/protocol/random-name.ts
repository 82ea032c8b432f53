const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Makes a name that nobody else has and nobody can guess: 128 random bits in hexadecimal. */
export function randomName(): string {
  // By hand: `randomUUID` is missing in pages that did not come over https.
  let name = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) name += HEX[byte];
  return name;
}
