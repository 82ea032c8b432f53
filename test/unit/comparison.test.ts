import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Claim, type Peer, problemsOf } from '../comparison/claims.ts';
import { comparedDocument, features, peers } from '../comparison/read.ts';
import { projectFolder } from '../support/serve-counter.ts';

describe('the table that compares with others', () => {
  test('has what the claims say: npm run tool -- comparison writes it', () => {
    const { is, shouldBe } = comparedDocument();
    expect(is).toBe(shouldBe);
  });

  test('has a claim for each cell, with version, place and date', () => {
    expect(problemsOf(features, [...peers.values()])).toEqual([]);
  });
});

describe('a claim is missed or refused', () => {
  const source = { version: '1.2.3', date: '2026-11-22', package: 'other' };
  const claim: Claim = { answer: 'no', at: ['docs: README.md'] };
  const unused = 'Other, source docs: nothing stands there';
  const feature = { id: 'hibernation', title: 'hibernating sockets', ours: 'yes' };
  const problems = (changes: Partial<Peer>) =>
    problemsOf(
      [feature],
      [{ name: 'Other', column: '', sources: { docs: source }, claims: { hibernation: claim }, ...changes }],
    );

  test.each<[string, Partial<Peer>, string[]]>([
    ['not where all is there', {}, []],
    ['without one', { claims: {} }, ['Other, hibernation: no claim', unused]],
    ['without an answer', withClaim({ answer: 'perhaps' as 'no' }), ['Other, hibernation: "perhaps" is no answer']],
    ['without a place', withClaim({ at: [] }), ['Other, hibernation: no place', unused]],
    [
      'in an unknown source',
      withClaim({ at: ['code: a.ts'] }),
      ['Other, hibernation: "code: a.ts" names no source', unused],
    ],
    ['of an unknown feature', { claims: { hibernation: claim, other: claim } }, ['Other, other: no such feature']],
    ['without a version', withSource({ version: '' }), ['Other, source docs: no version']],
    ['without a date', withSource({ date: '' }), ['Other, source docs: no date']],
    ['of nowhere', withSource({ package: undefined }), ['Other, source docs: no single place']],
    [
      'of a repository without a commit',
      withSource({ package: undefined, repository: 'a/b' }),
      ['Other, source docs: no commit'],
    ],
  ])('%s', (_, changes, expected) => {
    expect(problems(changes)).toEqual(expected);
  });

  function withClaim(changes: Partial<Claim>): Partial<Peer> {
    return { claims: { hibernation: { ...claim, ...changes } } };
  }

  function withSource(changes: object): Partial<Peer> {
    return { sources: { docs: { ...source, ...changes } } };
  }
});

describe("what is said of Cap'n Web, and was tried", () => {
  const contract = rowsOf('docs/contract.md');
  const columns = contract.get('')!;
  const [own, other] = [columns.indexOf('a hibernating socket, Node'), columns.indexOf("Cap'n Web 0.12, Node")];
  const tried = Object.entries(peers.get('capnweb')!.claims).filter(([, claim]) => claim.tried !== undefined);

  test('is a good part of it', () => {
    expect(tried.length).toBeGreaterThan(6);
  });

  test.each(tried)('of %s is what the contract has shown', (_, { answer, tried: { holds = [], fails = [] } = {} }) => {
    const shown = (cases: readonly string[]) =>
      cases.map((title) => contract.get(title)).map((cells) => [cells?.[own], cells?.[other][0]]);
    expect(shown(holds)).toEqual(holds.map(() => ['✓', '✓']));
    expect(shown(fails)).toEqual(fails.map(() => ['✓', '✗']));
    if (answer === 'no') expect(fails).not.toEqual([]);
    else expect(holds).not.toEqual([]);
  });
});

/** The cells of a document's tables, by the first of their row; without what is no longer promised. */
function rowsOf(path: string): Map<string, string[]> {
  const [text] = readFileSync(join(projectFolder, path), 'utf8').split('## No longer promised');
  const lines = text.matchAll(/^\|(.*)\|$/gm);
  return new Map(
    [...lines].map(([, line]) => line.split('|').map((cell) => cell.trim())).map(([title, ...cells]) => [title, cells]),
  );
}
