// npm run tool -- types-table [--print]: writes docs/values.md, or prints it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { documentOf } from './document.ts';
import { tryAll } from './try-out.ts';

const FILE = 'docs/values.md';
const ROOT = join(import.meta.dirname, '../..');

const { values } = parseArgs({ options: { print: { type: 'boolean', default: false } } });
const text = documentOf(await tryAll());
if (values.print) {
  process.stdout.write(text);
} else {
  writeFileSync(join(ROOT, FILE), text);
  process.stdout.write(`Wrote ${FILE}\n`);
}
