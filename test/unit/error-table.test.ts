import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RPC_ERROR_CODES, RpcError, type RpcErrorCode } from '@lumenize/rpc';
import { describe, expect, test, vi } from 'vitest';
import { EXIT, reportFailure } from '../../packages/cli/src/failure.ts';
import { documentedCodes, errorTable } from '../error-table/table.ts';
import { withPart } from '../support/generated-part.ts';
import { projectFolder } from '../support/serve-counter.ts';

const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8');
const codes = documentedCodes(read('packages/rpc/src/errors.ts'));
const isRetryable = (code: string) => new RpcError(code as RpcErrorCode, '').retryable;

describe('the table of codes', () => {
  test('has what the code says of them: npm run tool -- error-table writes it', () => {
    // Put together, since a guide is left to the test that has its path: this one is not all of it.
    const guide = read(['docs', 'guides', 'errors.md'].join('/'));
    expect(guide).toBe(withPart(guide, 'error-table', errorTable(codes, isRetryable)));
  });

  test('has each code once, in the order of the list', () => {
    expect(codes.map(({ code }) => code)).toEqual([...RPC_ERROR_CODES]);
  });

  test.each(codes)('says to repeat a call only if $code is retryable', ({ code, ran, toDo }) => {
    expect(toDo.startsWith('repeat the call')).toBe(isRetryable(code));
    if (isRetryable(code)) expect(ran).toBe('no');
  });

  test('leaves out text that a peer sends as a code, even if all objects have a member of that name', () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(isRetryable('constructor')).toBe(false);
    expect(reportFailure(new RpcError('constructor' as RpcErrorCode, ''))).toBe(EXIT.UNKNOWN);
    vi.restoreAllMocks();
  });

  test.each(codes)('says the same of $code as the exit code of the command line does', ({ code, ran }) => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(reportFailure(new RpcError(code as RpcErrorCode, ''))).toBe(ran === 'no' ? EXIT.NOT_RUN : EXIT.UNKNOWN);
    vi.restoreAllMocks();
  });
});
