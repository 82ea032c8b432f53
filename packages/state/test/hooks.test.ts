import { connectOver, type Stub } from '@lumenize/rpc';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { useFollow, useRecord, useRecords, useStatus, useUnsaved } from '../src/react/hooks.ts';
import type { Follow } from '../src/records.ts';

interface Api {
  follow(since?: unknown): Follow<{ cards: { id: string } }>;
}

test('on a server nothing is followed, and components render as they do before there is anything', () => {
  let attempts = 0;
  const stub: Stub<Api> = connectOver<Api>(() => {
    attempts++;
    return { send() {}, close() {} };
  }, 'nowhere');
  const Cards = () => {
    const store = useFollow(stub, (api, since) => api.follow(since));
    const shown = [useStatus(store), useRecords(store, 'cards'), useRecord(store, 'cards', 'a'), useUnsaved(store)];
    return JSON.stringify(shown);
  };
  expect(renderToString(createElement(Cards)).replaceAll('&quot;', '"')).toBe('["loading",[],null,[]]');
  expect(attempts).toBe(0);
});
