/** Makes a name that nobody else has and nobody can guess: 128 random bits in hexadecimal. */
export function randomName(): string {
  // By hand: `randomUUID` is missing in pages that did not come over https.
  const bytes = Array.from(crypto.getRandomValues(new Uint8Array(16)));
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
