import { connection, connectOver } from '@lumenize/rpc';
import { describe, expect, test, vi } from 'vitest';
import { bytesOf } from '../src/protocol/message.ts';
import { RESENT } from '../src/protocol/tags.ts';
import { kindOf } from './support/frames.ts';
import { codeOf, type PingApi, pinTime, result, settle } from './support/probed-client.ts';
import { probedTransport } from './support/probed-transport.ts';

pinTime();

const EARLY = 'lumenize.early.';
/** The subprotocol that has a frame in it, as bytes. */
const earlyOf = (offer: readonly string[]) => {
  const found = offer.find((each) => each.startsWith(EARLY));
  return found && [...Buffer.from(found.slice(EARLY.length), 'base64url')];
};

function setup(options = {}) {
  const { open, attempts } = probedTransport();
  return { stub: connectOver<PingApi>(open, 'a test', options), attempts };
}

describe('calls made before there is a connection', () => {
  test('are offered with it, and not sent where the server has taken them', async () => {
    const { stub, attempts } = setup();
    const first = codeOf(stub.ping('one'));
    await settle();
    const [attempt] = attempts;
    expect(attempt.offer.slice(2, -1)).toEqual([
      'lumenize.rpc.2.early',
      expect.stringMatching(/^lumenize\.early\.[\w-]+$/),
    ]);
    const later = codeOf(stub.ping('two'));
    await settle();
    attempt.opened(true);
    expect(attempt.sent.map(kindOf)).toEqual([2]);
    attempt.received(result(1, 'pong'));
    attempt.received(result(2, 'again'));
    expect(await Promise.all([first, later])).toEqual(['pong', 'again']);
  });

  test('are sent where it has not, as the same bytes', async () => {
    const { stub, attempts } = setup();
    const call = codeOf(stub.ping('one'));
    await settle();
    const [attempt] = attempts;
    attempt.opened(false);
    expect([...bytesOf(attempt.sent[0])]).toEqual(earlyOf(attempt.offer));
    attempt.received(result(1, 'pong'));
    expect(await call).toBe('pong');
  });

  test('are offered anew with every attempt until one succeeds, and never after that', async () => {
    const { stub, attempts } = setup();
    codeOf(stub.ping('one'));
    await settle();
    attempts[0].closed(1006, '');
    await vi.advanceTimersByTimeAsync(250);
    expect(earlyOf(attempts[1].offer)).toEqual(earlyOf(attempts[0].offer));
    attempts[1].opened(true);
    attempts[1].closed(1006, '');
    await vi.advanceTimersByTimeAsync(500);
    expect(attempts).toHaveLength(3);
    expect(earlyOf(attempts[2].offer)).toBeUndefined();
  });

  test('were sent when the connection is lost that took them: the server is asked what became of them', async () => {
    const { stub, attempts } = setup();
    const call = codeOf(stub.ping('one'));
    await settle();
    attempts[0].opened(true);
    attempts[0].closed(1006, '');
    await vi.advanceTimersByTimeAsync(250);
    attempts[1].opened();
    attempts[1].alive();
    expect(attempts[1].sent.map(kindOf)).toEqual([RESENT]);
    attempts[1].received(result(1, 'pong'));
    expect(await call).toBe('pong');
  });

  test('did not run, as far as anybody is concerned, where no connection ever came about', async () => {
    const { stub, attempts } = setup({ maxWaitMs: 100 });
    const call = codeOf(stub.ping('one'));
    await settle();
    expect(earlyOf(attempts[0].offer)).toBeDefined();
    attempts[0].closed(1006, '');
    await vi.advanceTimersByTimeAsync(100);
    expect(await call).toBe('NOT_EXECUTED');
  });

  test('and given up are not offered', async () => {
    const { stub, attempts } = setup({ token: () => new Promise<string>((resolve) => setTimeout(resolve, 50, 'a')) });
    const call = codeOf(stub.ping('one'));
    connection(stub).close();
    await vi.advanceTimersByTimeAsync(60);
    expect([await call, attempts.length]).toEqual(['NOT_EXECUTED', 0]);
  });

  test.each([
    ['are too long', {}, 'x'.repeat(1024)],
    ['are to stay out of headers', { early: false }, 'one'],
  ])('are only sent where they %s', async (_why, options, text) => {
    const { stub, attempts } = setup(options);
    codeOf(stub.ping(text));
    await settle();
    expect(attempts[0].offer).toHaveLength(3);
    attempts[0].opened(true);
    expect(attempts[0].sent).toHaveLength(1);
  });
});
