import { inFile, type Mutant } from './mutant.ts';

/** Defects of streams. */
export const STREAMS: readonly Mutant[] = [
  ...inFile('server/answers.ts', [
    [
      'a-method-does-not-learn-that-its-connection-has-ended',
      'for (const call of this.waiting.values()) call.giveUp(reason);',
      '',
    ],
  ]),
  ...inFile('peer/streams.ts', [
    ['chunks-are-lost', 'else chunks.push(value);', 'else if (chunks.length < 3) chunks.push(value);'],
    ['a-source-never-ends', 'if (done) isOver = true;', 'if (done) continue;'],
    [
      'a-source-goes-on-when-nobody-reads',
      'const ended = Promise.resolve(iterator.return?.(reason));',
      'const ended = Promise.resolve();',
    ],
    [
      'chunks-behind-a-refused-one-are-written',
      "if (number !== next) throw new RpcError('NOT_EXECUTED', 'a chunk in front of this one was refused');",
      '',
    ],
    ['pulls-run-beside-each-other', 'const pulled = last.then(next);', 'const pulled = next();'],
    ['a-source-is-held-when-it-has-ended', 'if (isDone) void end();', ''],
    ['a-reader-that-leaves-does-not-say-so', 'await end(reason);\n', 'await undefined;\n'],
    ['streams-do-not-keep-an-object-awake', '      references.streams++;\n      try', '      try'],
    [
      'a-released-source-goes-on',
      '      references.streams--;\n      cancel(reason).catch(() => {}); // it is over, whatever it says to that',
      '      references.streams--;',
    ],
    [
      'a-released-sink-is-not-aborted',
      'if (!isOver) sink.abort(reason).catch(() => {}); // it has failed by itself',
      '',
    ],
    ['a-close-does-not-wait-for-writes', 'for (const written of writes.splice(0)) await written;', ''],
    ['a-close-is-not-passed-on', '        await sink.close();\n      } finally', '      } finally'],
    ['an-abort-is-not-passed-on', '        await sink.abort(reason);\n      } finally', '      } finally'],
    ['a-writer-holds-its-stream', 'const end = () => sink[Symbol.dispose]();', 'const end = () => {};'],
    ['a-lost-stream-looks-like-an-end', 'throw ofConnection(error);', 'return DONE;'],
    ['byte-streams-are-streams', "...(isBytes && { type: 'bytes' })", '...(isBytes && {})'],
  ]),
];
