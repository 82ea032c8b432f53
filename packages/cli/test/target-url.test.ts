import { expect, test } from 'vitest';
import { readTargetUrl } from '../src/target-url.ts';

test.each([
  ['localhost:8787/rpc/a/b', 'ws:'],
  ['127.0.0.1/rpc/a/b', 'ws:'],
  ['[::1]:1/rpc/a/b', 'ws:'],
  ['localhost.example.com/rpc/a/b', 'wss:'],
  ['127.0.0.1.example.com/rpc/a/b', 'wss:'],
  ['localhost:8787@example.com/rpc/a/b', 'wss:'],
  ['localhost-staging:8787/rpc/a/b', 'wss:'],
  ['example.com/rpc/a/b', 'wss:'],
  ['http://example.com/rpc/a/b', 'http:'],
])('%s is reached by %s', (text, protocol) => expect(readTargetUrl(text).protocol).toBe(protocol));
