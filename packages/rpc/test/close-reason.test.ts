import { describe, expect, test } from 'vitest';
import { closeReason, errorOfClose } from '../src/closes.ts';
import { RpcError } from '../src/errors.ts';

const bytes = (text: string) => new TextEncoder().encode(text).length;

describe('the reason of a close', () => {
  const room = 123 - 'DENIED: '.length;

  test.each([
    ['has room for it', 'x'.repeat(room)],
    ['has exactly room for characters of three bytes', `x${'€'.repeat((room - 1) / 3)}`],
  ])('is the whole error if it %s', (_when, message) => {
    const reason = closeReason(new RpcError('DENIED', message));
    expect(bytes(reason)).toBe(123);
    expect(errorOfClose(reason)).toMatchObject({ code: 'DENIED', message });
  });

  test.each([
    ['one byte too much', 'x'.repeat(room + 1), 'x'.repeat(room - 3), 123],
    ['a character on the border', `${'x'.repeat(room - 4)}€${'x'.repeat(9)}`, 'x'.repeat(room - 4), 122],
    ['a surrogate pair on the border', `${'x'.repeat(room - 6)}😀${'x'.repeat(9)}`, 'x'.repeat(room - 6), 120],
  ])('ends in three dots where it is cut: %s', (_what, message, kept, length) => {
    const reason = closeReason(new RpcError('DENIED', message));
    expect(errorOfClose(reason)?.message).toBe(`${kept}...`);
    expect(bytes(reason)).toBe(length);
  });
});
