import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFolder } from '../support/serve-counter.ts';

/** What the README says of Cap'n Web, and cases of the contract that show it: all of them hold for this library. */
const EVIDENCE: readonly { row: string; capnWeb: string; holds?: readonly string[]; fails?: readonly string[] }[] = [
  {
    row: 'Map, Set, RegExp, cycles, shared references',
    capnWeb: 'no',
    fails: [
      'a Map arrives as it left',
      'a Set arrives as it left',
      'a cycle arrives as a cycle',
      'one object in two places arrives as one object in two places',
    ],
  },
  {
    row: '-0, holes, shared buffers, details of errors',
    capnWeb: 'in part',
    holds: ['an error with properties arrives as it left', 'an AggregateError arrives as it left'],
    fails: ['-0 arrives as it left', 'an array with holes arrives as it left'],
  },
  {
    row: 'chains in one round trip',
    capnWeb: 'yes',
    holds: ['steps that are asynchronous run once and are waited for', 'properties of data are read on the server'],
  },
  {
    row: 'all calls of a turn in one frame',
    capnWeb: 'no',
    fails: ['a hundred calls of one turn cost one frame each way', 'a call costs one frame each way'],
  },
  {
    row: '`map` over a result, on the server',
    capnWeb: 'yes',
    holds: ['map() runs a recorded callback for every item', 'map() calls its callback once, on the client'],
    fails: ['filter() keeps the items for which its callback gives something true'],
  },
  {
    row: 'targets and functions by reference, both ways',
    capnWeb: 'yes',
    holds: ['a function that is a result arrives as a function', 'are functions on the server'],
  },
  {
    row: 'streams',
    capnWeb: 'yes',
    holds: ['a ReadableStream of bytes is a result', 'a WritableStream is an argument'],
    fails: ['an async generator is a result'],
  },
  {
    row: 'cancellation and time limits',
    capnWeb: 'no',
    fails: [
      'callContext().signal is aborted on the server when the caller aborts',
      'a call that ends in time is not timed out',
    ],
  },
];

const features = rowsOf('README.md');
const contract = rowsOf('docs/contract.md');
const peers = contract.get('')!;
const [own, other] = [peers.indexOf('a hibernating socket, Node'), peers.indexOf("Cap'n Web 0.12, Node")];

test.each(EVIDENCE)(
  'what the README says of $row is what the contract has shown',
  ({ row, capnWeb, holds = [], fails = [] }) => {
    expect(features.get(row)?.[1]).toMatch(new RegExp(`^${capnWeb}\\b`));
    const shown = (cases: readonly string[]) =>
      cases.map((title) => contract.get(title)).map((cells) => [cells?.[own], cells?.[other][0]]);
    expect(shown(holds)).toEqual(holds.map(() => ['✓', '✓']));
    expect(shown(fails)).toEqual(fails.map(() => ['✓', '✗']));
  },
);

/** The cells of a document's tables, by the first of their row. */
function rowsOf(path: string): Map<string, string[]> {
  const lines = readFileSync(join(projectFolder, path), 'utf8').matchAll(/^\|(.*)\|$/gm);
  return new Map(
    [...lines].map(([, line]) => line.split('|').map((cell) => cell.trim())).map(([title, ...cells]) => [title, cells]),
  );
}
