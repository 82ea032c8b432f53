/** Returns a name that cannot be guessed: 122 random bits or more, as 32 hexadecimal digits. */
export function randomName(): string {
  // Missing in pages that came over http.
  if (crypto.randomUUID !== undefined) return crypto.randomUUID().replaceAll('-', '');
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte | 256).toString(16).slice(1)).join('');
}
