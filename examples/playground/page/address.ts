/** The sections, as the address has them. */
export type SectionId = 'counter' | 'race' | 'values' | 'chat' | 'inspector';

/** The address of a section, and of what is named there: `#chat/garden`. */
export function hrefOf(section: SectionId, name?: string): string {
  return name === undefined ? `#${section}` : `#${section}/${encodeURIComponent(name)}`;
}

/** Takes an address apart; the section is whatever is written there. */
export function readHash(hash: string): { section: string; name: string | undefined } {
  const [section, ...rest] = hash.slice(1).split('/');
  const name = decode(rest.join('/')).trim();
  return { section, name: name === '' ? undefined : name };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // typed by hand, with a per cent sign that means itself
  }
}
