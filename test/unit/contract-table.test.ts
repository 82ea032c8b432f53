import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CASES, PARTS } from '../contract/cases/all.ts';
import { DROPPED } from '../contract/dropped.ts';
import { documentOf, escaped } from '../contract/table/document.ts';
import type { ContractResult } from '../contract/table/results.ts';
import { transportsInSources } from '../contract/table/sources.ts';
import { projectFolder } from '../support/serve-counter.ts';

// What the cells say can only be found out by running everything; npm run tool -- contract-table does.
describe('docs/contract.md', () => {
  const sections = readFileSync(join(projectFolder, 'docs/contract.md'), 'utf8').split(/^## /m).slice(1);
  const dropped = sections.pop()!;
  const rowsOf = (section: string) => [...section.matchAll(/^\| (.*) \|$/gm)].map(([, row]) => row.split(' | '));

  test('has the cases that there are: npm run tool -- contract-table writes it', () => {
    expect(sections.map((section) => section.split('\n')[0])).toEqual(PARTS);
    for (const section of sections) {
      const part = section.split('\n')[0];
      const names = rowsOf(section)
        .slice(2)
        .map(([name]) => name);
      expect(names).toEqual(CASES.filter((each) => each.part === part).map(({ name }) => escaped(name)));
    }
  });

  test('has the cases that rules have dropped, none of which is a case still', () => {
    const rows = rowsOf(dropped).slice(2);
    expect(rows).toEqual(Object.entries(DROPPED).map((row) => row.map(escaped)));
    const names = new Set(CASES.map(({ part, name }) => escaped(`${part}: ${name}`)));
    expect(rows.filter(([name]) => names.has(name))).toEqual([]);
  });

  test('has a column of every transport that the cases run over', () => {
    for (const section of sections) {
      const transports = [...section.split('\n')[2].matchAll(/ ([^|]+), \w+ \|/g)].map(([, name]) => name);
      expect(new Set(transports)).toEqual(transportsInSources(projectFolder));
    }
  });
});

describe('the cases', () => {
  test('have names of their own', () => {
    const names = CASES.map(({ part, name }) => `${part}: ${name}`);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('documentOf', () => {
  const [{ part, name }] = CASES;
  const result = (outcome: Partial<ContractResult>): ContractResult => {
    return { transport: 'memory', environment: 'Node', part, case: name, status: 'holds', ...outcome };
  };

  test('puts other libraries last, and says why something does not hold or apply', () => {
    const text = documentOf(
      [
        result({ transport: "Cap'n Web 1", status: 'fails', reason: 'Error: it\n    at a place' }),
        result({ environment: 'workerd', status: 'does not apply', reason: 'no way' }),
        result({}),
      ],
      '',
    );
    expect(text).toContain("| | memory, Node | memory, workerd | Cap'n Web 1, Node |".replace('| |', '|  |'));
    expect(text).toContain(`| ${escaped(name)} | ✓ | –<sup>1</sup> | ✗<sup>2</sup> |`);
    expect(text).toContain('1. no way\n2. it\n');
  });
});
