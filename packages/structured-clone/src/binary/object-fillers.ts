/** Sets the values of a new object, which it gets from `next`, under so many keys. */
export type FillObject = (object: Record<string, unknown>, keys: readonly string[], next: () => unknown) => void;

export const fillAny: FillObject = (object, keys, next) => {
  for (let index = 0; index < keys.length; index++) object[keys[index]] = next();
};

/**
 * The same function, many times. Engines remember, for each place in the code that sets a property, which property of
 * which objects it set, and are several times as quick where that is always the same one. A place is in a function's
 * text, so a text that only ever sees one shape is needed for each; making it at run time would need `eval`. The shapes
 * that are met most get one each, and all others share `fillAny`.
 */
// biome-ignore format: copies
const COPIES: FillObject[] = [
  (o, k, v) => { const n = k.length; if (n > 0) o[k[0]] = v(); if (n > 1) o[k[1]] = v(); if (n > 2) o[k[2]] = v(); if (n > 3) o[k[3]] = v(); if (n > 4) o[k[4]] = v(); if (n > 5) o[k[5]] = v(); if (n > 6) o[k[6]] = v(); if (n > 7) o[k[7]] = v(); for (let i = 8; i < n; i++) o[k[i]] = v(); },
  (o, k, v) => { const n = k.length; if (n > 0) o[k[0]] = v(); if (n > 1) o[k[1]] = v(); if (n > 2) o[k[2]] = v(); if (n > 3) o[k[3]] = v(); if (n > 4) o[k[4]] = v(); if (n > 5) o[k[5]] = v(); if (n > 6) o[k[6]] = v(); if (n > 7) o[k[7]] = v(); for (let i = 8; i < n; i++) o[k[i]] = v(); },
  (o, k, v) => { const n = k.length; if (n > 0) o[k[0]] = v(); if (n > 1) o[k[1]] = v(); if (n > 2) o[k[2]] = v(); if (n > 3) o[k[3]] = v(); if (n > 4) o[k[4]] = v(); if (n > 5) o[k[5]] = v(); if (n > 6) o[k[6]] = v(); if (n > 7) o[k[7]] = v(); for (let i = 8; i < n; i++) o[k[i]] = v(); },
  (o, k, v) => { const n = k.length; if (n > 0) o[k[0]] = v(); if (n > 1) o[k[1]] = v(); if (n > 2) o[k[2]] = v(); if (n > 3) o[k[3]] = v(); if (n > 4) o[k[4]] = v(); if (n > 5) o[k[5]] = v(); if (n > 6) o[k[6]] = v(); if (n > 7) o[k[7]] = v(); for (let i = 8; i < n; i++) o[k[i]] = v(); },
  (o, k, v) => { const n = k.length; if (n > 0) o[k[0]] = v(); if (n > 1) o[k[1]] = v(); if (n > 2) o[k[2]] = v(); if (n > 3) o[k[3]] = v(); if (n > 4) o[k[4]] = v(); if (n > 5) o[k[5]] = v(); if (n > 6) o[k[6]] = v(); if (n > 7) o[k[7]] = v(); for (let i = 8; i < n; i++) o[k[i]] = v(); },
  (o, k, v) => { const n = k.length; if (n > 0) o[k[0]] = v(); if (n > 1) o[k[1]] = v(); if (n > 2) o[k[2]] = v(); if (n > 3) o[k[3]] = v(); if (n > 4) o[k[4]] = v(); if (n > 5) o[k[5]] = v(); if (n > 6) o[k[6]] = v(); if (n > 7) o[k[7]] = v(); for (let i = 8; i < n; i++) o[k[i]] = v(); },
  (o, k, v) => { const n = k.length; if (n > 0) o[k[0]] = v(); if (n > 1) o[k[1]] = v(); if (n > 2) o[k[2]] = v(); if (n > 3) o[k[3]] = v(); if (n > 4) o[k[4]] = v(); if (n > 5) o[k[5]] = v(); if (n > 6) o[k[6]] = v(); if (n > 7) o[k[7]] = v(); for (let i = 8; i < n; i++) o[k[i]] = v(); },
  (o, k, v) => { const n = k.length; if (n > 0) o[k[0]] = v(); if (n > 1) o[k[1]] = v(); if (n > 2) o[k[2]] = v(); if (n > 3) o[k[3]] = v(); if (n > 4) o[k[4]] = v(); if (n > 5) o[k[5]] = v(); if (n > 6) o[k[6]] = v(); if (n > 7) o[k[7]] = v(); for (let i = 8; i < n; i++) o[k[i]] = v(); },
];

/** Returns a copy that no other shape uses, as long as there is one. */
export function takeFiller(): FillObject {
  return COPIES.pop() ?? fillAny;
}
