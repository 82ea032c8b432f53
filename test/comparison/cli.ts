// npm run tool -- comparison: writes the table that compares this library with others, from docs/claims.
import { writeFileSync } from 'node:fs';
import { comparedDocument } from './read.ts';

const { path, file, shouldBe } = comparedDocument();
writeFileSync(file, shouldBe);
process.stdout.write(`Wrote ${path}\n`);
