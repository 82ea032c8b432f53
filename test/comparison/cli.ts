// npm run comparison: writes the tables that compare this library with others, from docs/claims.
import { writeFileSync } from 'node:fs';
import { comparedDocuments } from './read.ts';

for (const { path, file, shouldBe } of comparedDocuments()) {
  writeFileSync(file, shouldBe);
  process.stdout.write(`Wrote ${path}\n`);
}
