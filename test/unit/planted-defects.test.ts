import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFECTS } from '../planted/defects.ts';
import { projectFolder } from '../support/serve-counter.ts';

test.each(DEFECTS)('the defect $name replaces what occurs once in $file', ({ file, find, replace }) => {
  const pieces = readFileSync(join(projectFolder, file), 'utf8').split(find);
  expect(pieces).toHaveLength(2);
  expect(replace).not.toBe(find);
});
