import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { useCall, useConnectionState, useRpc, useSubscription } from '@lumenize/react';
import type { Stub } from '@lumenize/rpc';
import { createElement, type FunctionComponent, Suspense, use } from 'react';
import { renderToPipeableStream, renderToString } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { ServedRoom } from '../react/components.tsx';
import type { RoomApi } from '../react/room-api.ts';

const URL_IN_PAGE = '/rpc/room/main';

describe('components of React, rendered on a server', () => {
  test('show what they have before anything was called, from a URL that only a page can resolve', () => {
    const html = renderToString(createElement(ServedRoom, { url: URL_IN_PAGE, initial: 'given' }));
    expect(html).toContain('data-state="idle"');
    expect(html).toContain('<h1>…</h1>');
    expect(html).toContain('<h3>given</h3>');
  });

  test('are streamed with the values that they were given, and wait for nothing', async () => {
    const errors: unknown[] = [];
    const html = await stream(() => createElement(ServedRoom, { url: URL_IN_PAGE, initial: 'given' }), errors);
    expect(html).toContain('<h3>given</h3>');
    expect(html).not.toContain('Loading');
    expect(errors).toEqual([]);
  });

  test('leave the fallback where they read a value that is not there, and say what to do', async () => {
    const errors: unknown[] = [];
    const Title: FunctionComponent = () => {
      const room = useRpc<RoomApi>(URL_IN_PAGE);
      return createElement('h3', null, use(useCall(room, 'title', (room) => room.title()).promise));
    };
    const html = await stream(
      () => createElement(Suspense, { fallback: createElement('p', null, 'Loading') }, createElement(Title)),
      errors,
    );
    expect(html).toContain('<p>Loading</p>');
    expect(errors).toEqual([
      expect.objectContaining({ code: 'NOT_EXECUTED', message: expect.stringContaining('`initial`') }),
    ]);
  });

  test('call nothing, subscribe to nothing, and have stubs whose calls reject', async () => {
    const stubs: Stub<RoomApi>[] = [];
    const calls: string[] = [];
    const Seen: FunctionComponent = () => {
      const room = useRpc<RoomApi>(URL_IN_PAGE, { eager: true });
      stubs.push(room);
      const title = useCall(room, 'title', (room) => {
        calls.push('title');
        return room.title();
      });
      const { items, isPending } = useSubscription(room, 'messages', (room, since) => {
        calls.push('read');
        return room.read({ since });
      });
      const { state, reason } = useConnectionState(room);
      return createElement('p', null, JSON.stringify({ title, items, isPending, state, reason }));
    };
    const html = renderToString(createElement(Seen)).replaceAll('&quot;', '"');
    expect(html).toContain('{"title":{"isPending":true},"items":[],"isPending":true,"state":"idle"}');
    expect(calls).toEqual([]);
    await expect(stubs[0].title()).rejects.toMatchObject({
      code: 'NOT_EXECUTED',
      message: expect.stringContaining('on a server'),
    });
  });
});

/** Renders as servers do that send a page while they render it. */
async function stream(render: () => React.ReactElement, errors: unknown[]): Promise<string> {
  const output = new PassThrough();
  const { pipe } = renderToPipeableStream(render(), {
    onError: (error) => void errors.push(error),
    onAllReady: () => pipe(output),
  });
  return text(output);
}
