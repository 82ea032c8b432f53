import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DIGEST_FILE, digestOfPage, IMAGES } from '../../playground/screenshots/digest.ts';
import { SCENES } from '../../playground/screenshots/scenes.ts';

/** What a picture may have, in bytes: they are part of every clone. */
const MAX_BYTES = 100_000;

describe('the pictures of the playground', () => {
  test('show the page as it is: else run `npm run tool -- screenshots`, and look at them', async () => {
    expect((await readFile(DIGEST_FILE, 'utf8')).trim()).toBe(await digestOfPage());
  });

  test('are those of the scenes and no others, and small', async () => {
    const files = (await readdir(IMAGES)).filter((name) => /^playground-.*\.png$/.test(name));
    expect(files.toSorted()).toEqual(SCENES.map(({ name }) => `${name}.png`).toSorted());
    for (const file of files) expect((await stat(join(IMAGES, file))).size, file).toBeLessThan(MAX_BYTES);
  });
});
