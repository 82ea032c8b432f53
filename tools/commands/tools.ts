/** What tools are for, in the order of the list. */
export const GROUPS = {
  check: 'Check a change',
  write: 'Write documents that are generated',
  search: 'Search for defects, or run for long',
  measure: 'Measure',
} as const;

/** A program of this repository that is run by hand, or by continuous integration. */
export interface Tool {
  readonly name: string;
  readonly group: keyof typeof GROUPS;
  /** What it does, in a line, and its options. */
  readonly does: string;
  /** Its file, and arguments that come before those that are given. */
  readonly program: readonly [file: string, ...args: string[]];
  /** What Node is told. @default none */
  readonly flags?: readonly string[];
  /** What has to succeed before, such as a linter. @default nothing */
  readonly before?: readonly [file: string, ...args: string[]];
  /** Whether it needs what `npm run build` makes. @default false */
  readonly needsBuild?: boolean;
  /** Variables of the environment. @default none */
  readonly env?: Readonly<Record<string, string>>;
}

/** Has Node load the packages from their sources. */
const SOURCES = ['--conditions=@lumenize/source'];
const BIOME = 'node_modules/@biomejs/biome/bin/biome';
const VITEST = 'node_modules/vitest/vitest.mjs';
const REPORT = 'packages/benchmark/src/report';

/** The tools that `npm run tool` lists and runs. */
export const TOOLS: readonly Tool[] = [
  {
    ...{ name: 'format', group: 'check', program: [BIOME, 'check', '--write', '.'] },
    does: 'formats everything, and fixes what the linter can',
  },
  {
    ...{ name: 'check-quick', group: 'check', before: [BIOME, 'check', '.'], needsBuild: true },
    ...{ program: [VITEST, 'run', '--project', 'node', '--project', 'types'] },
    does: 'runs formatter, linter, build, types, and the tests in Node',
  },
  {
    ...{ name: 'test-dist', group: 'check', needsBuild: true, env: { TEST_DIST: '1' } },
    program: [VITEST, 'run', '--project', 'node', '--project', 'full', 'test/contract', 'test/full/process/topics'],
    does: 'runs the contract on the built packages instead of the sources',
  },
  {
    ...{ name: 'reference', group: 'write', program: ['tools/reference/main.ts'] },
    does: 'docs/reference, from the docstrings; lists those that are missing. --check writes nothing',
  },
  {
    ...{ name: 'error-table', group: 'write', flags: SOURCES, program: ['test/error-table/cli.ts'] },
    does: 'the table of codes in docs/guides/errors.md, from the comments of packages/rpc/src/errors.ts',
  },
  {
    ...{ name: 'types-table', group: 'write', program: ['tools/type-table/main.ts'] },
    flags: ['--disallow-code-generation-from-strings', ...SOURCES],
    does: 'docs/values.md: every type with every codec. --print only prints it',
  },
  {
    ...{ name: 'contract-table', group: 'write', flags: SOURCES, program: ['test/contract/table/cli.ts'] },
    does: "docs/contract.md: the contract over every transport, and on Cap'n Web; takes three minutes",
  },
  {
    ...{ name: 'runtimes', group: 'write', flags: SOURCES, program: ['test/runtimes/cli.ts'] },
    does: 'docs/runtimes.md: the contract in every runtime that is here. --install only fetches those that npm has',
  },
  {
    ...{ name: 'comparison', group: 'write', flags: SOURCES, program: ['test/comparison/cli.ts'] },
    does: 'the tables about other libraries, from docs/claims',
  },
  {
    ...{ name: 'cost', group: 'write', flags: SOURCES, program: ['test/receiver-cost/main.ts'] },
    does: 'the cost of each kind of input, in docs/internals/input-costs.md; some minutes. --only Map writes nothing',
  },
  {
    ...{ name: 'report', group: 'write', flags: SOURCES, program: [`${REPORT}/report.ts`] },
    does: 'measurements/README.md, and the figures in README.md and docs/benchmarks.md. With a file: the page of that run',
  },
  {
    ...{ name: 'screenshots', group: 'write', flags: SOURCES, program: ['test/playground/screenshots/cli.ts'] },
    does: 'docs/images, the pictures of the playground. With a part of a name: some of them',
  },
  {
    ...{ name: 'fuzz', group: 'search', flags: SOURCES, program: ['packages/structured-clone/test/fuzz/main.ts'] },
    does: 'decodes damaged encodings. [minutes, default 1] --cases --seed --threads',
  },
  {
    ...{ name: 'hostile', group: 'search', flags: SOURCES, program: ['test/hostile/main.ts'] },
    does: 'sends damaged frames beside a client that behaves, and the largest loads that limits allow. --seconds --rate --seed',
  },
  {
    ...{ name: 'chaos', group: 'search', flags: SOURCES, program: ['test/chaos/main.ts'] },
    does: 'has fifty clients call a server that breaks in every way. --seed --minutes --calls --clients',
  },
  {
    ...{ name: 'simulate', group: 'search', program: ['packages/simulation/src/cli.ts'] },
    flags: [...SOURCES, '--disable-warning=ExperimentalWarning'],
    does: 'runs random programs on a simulated platform. --seed --minutes --program --mutants --against-workerd',
  },
  {
    ...{ name: 'presence', group: 'measure', flags: SOURCES, program: ['packages/state/test/presence/main.ts'] },
    does: 'what members that move cost an object in workerd. --members --hertz --seconds',
  },
  {
    ...{ name: 'planted', group: 'search', flags: SOURCES, needsBuild: true, program: ['test/planted/main.ts'] },
    does: 'plants defects, one at a time, and says which test finds each. --only --write',
  },
  {
    ...{ name: 'soak', group: 'search', flags: SOURCES, program: ['test/soak/main.ts'] },
    does: 'makes a million calls by reference and back, and counts leftovers on both sides. --calls',
  },
  {
    ...{
      name: 'weigh',
      group: 'measure',
      flags: SOURCES,
      needsBuild: true,
      program: ['packages/benchmark/src/size/weigh.ts'],
    },
    does: 'counts what the library and the repository weigh, against their budgets',
  },
  {
    ...{ name: 'idle', group: 'measure', flags: SOURCES, program: ['test/hostile/idle-main.ts'] },
    does: 'measures the memory of an idle connection, awake and hibernating. --connections',
  },
  {
    ...{ name: 'profile', group: 'measure', needsBuild: true },
    program: ['packages/benchmark/src/cli.ts', '--family', 'profile', '--top', '25'],
    does: 'shows where calls spend their time on both sides. --workload --subject',
  },
  {
    ...{ name: 'repeatability', group: 'measure', flags: SOURCES, program: [`${REPORT}/repeatability.ts`] },
    does: 'compares two runs of the same commit. <file> <file>',
  },
];
