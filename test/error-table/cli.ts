// npm run tool -- error-table: writes the table of codes into the guide of errors.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { RpcError, type RpcErrorCode } from '@lumenize/rpc';
import { withPart } from '../support/generated-part.ts';
import { documentedCodes, errorTable } from './table.ts';

const inProject = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url).href);
const GUIDE = 'docs/guides/errors.md';

const codes = documentedCodes(await readFile(inProject('packages/rpc/src/errors.ts'), 'utf8'));
const table = errorTable(codes, (code) => new RpcError(code as RpcErrorCode, '').retryable);
await writeFile(inProject(GUIDE), withPart(await readFile(inProject(GUIDE), 'utf8'), 'error-table', table));
process.stdout.write(`Wrote ${GUIDE}\n`);
