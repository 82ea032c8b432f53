import { common, createTypes, located, resolveLimits } from '@lumenize/structured-clone/messages';
import { expect, test } from 'vitest';
import { FrameWriter } from '../src/protocol/frame-writer.ts';

test('what is sent while an entry is read does not hold it, and what follows begins with it', () => {
  const writer = new FrameWriter({ types: createTypes(common), locate: located, limits: resolveLimits({}) });
  const sent: unknown[] = [];
  writer.write(['before'], 1);
  const value = {
    get read() {
      if (sent.length === 0) sent.push(writer.finish(writer.first));
      return true;
    },
  };
  writer.write([value], 5);
  expect([...sent, writer.finish(writer.first)]).toEqual(['[1,["before"]]', '[5,[{"read":true}]]']);
});
