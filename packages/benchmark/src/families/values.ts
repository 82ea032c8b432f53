import { bundleWorker } from '@lumenize/hosts/worker-bundle';
import { readWorkerConfig } from '@lumenize/hosts/worker-config';
import { WorkerdHost } from '@lumenize/hosts/workerd';
import { bundleTasks, SOURCES } from '../engine/bundle.ts';
import { expectOneOf } from '../engine/measure.ts';
import type { Extent, Family, Launch, Plan, ScenarioPlan, Wanted } from '../engine/plan.ts';
import { assertPinned, CODEC_PACKAGES, codecVersions } from '../environment.ts';
import type { Compared } from '../statistics/comparison.ts';
import { CODECS, type Codec } from '../values/codecs.ts';
import type { Measuring } from '../values/measure-payload.ts';
import { PAYLOADS } from '../values/payloads.ts';

const TASKS = new URL('../values/tasks.ts', import.meta.url);
const WORKER = new URL('../../worker/values.ts', import.meta.url);

/** `lumenize` against itself. An effect found here comes from the method itself. */
const CONTROL = { id: 'lumenize-again', subject: 'lumenize' } as const;

type CodecHost = 'node' | 'workerd';

/**
 * The durations. A payload has at most `limitMs`: a slow machine has fewer rounds, and a fast one finishes all of them.
 */
const DURATIONS: Readonly<Record<CodecHost, Measuring>> = {
  node: { sampleMs: 0.2, bothMs: 4, partMs: 2, warmUpMs: 40, limitMs: 1200 },
  // Few samples per block, because each is a request, whose own cost must be small in comparison.
  workerd: { sampleMs: 2, bothMs: 5, partMs: 0, warmUpMs: 30, limitMs: 1200 },
};
const ONCE: Measuring = { sampleMs: 0, bothMs: 0, partMs: 0, warmUpMs: 0, limitMs: 0 };

const LAUNCHES = 3;
/** The share of the time alone that the family has in the full run. */
const WHOLE_SHARE = 0.5;
/** The number of rounds in each launch. A verdict needs six in all. */
const ROUNDS = 4;
const LADDER_ROUNDS = 3;
const LADDER = /-\d+(B|KiB|MiB)$/;

/** Options that disable in Node what a Worker and a strict page forbid. The process checks that they work. */
const LIKE_A_WORKER = {
  execArgv: ['--disallow-code-generation-from-strings', '--expose-gc'],
  env: {
    ...process.env,
    CBOR_NATIVE_ACCELERATION_DISABLED: 'true',
    MSGPACKR_NATIVE_ACCELERATION_DISABLED: 'true',
  },
};

const NAMES = CODECS.map(({ name }) => name);
const NAMES_OF_PAYLOADS = Object.keys(PAYLOADS);
const HOSTS: readonly CodecHost[] = ['node', 'workerd'];

/** Codecs alone. The scenarios are payloads, and the subjects are codecs. */
export const VALUES = {
  name: 'values',
  about: 'codecs alone, payload by payload; subjects are codecs, hosts are node and workerd',
  subjects: NAMES,
  hosts: HOSTS,
  get configuration() {
    const versions = Object.entries(codecVersions()).map(([name, version]) => `${name} ${version}`);
    return [
      'Each launch has a fresh process and, for workerd, a fresh server; medians of encoding and decoding, and of either alone, sampled by tinybench',
      'Code generation and native addons: OFF, as in Workers and strict pages, which every launch makes sure of',
      `Codecs: ${CODECS.map(({ name, settings }) => `${name} (${settings})`).join('; ')}`,
      `Versions: ${versions.join(', ')}`,
    ];
  },
  plan(extent: Extent, { subjects = NAMES, hosts = HOSTS, payloads = NAMES_OF_PAYLOADS }: Wanted): Plan {
    for (const name of payloads) expectOneOf('payload', name, NAMES_OF_PAYLOADS);
    const codecs = CODECS.filter(({ name }) => subjects.includes(name));
    const wanted = NAMES_OF_PAYLOADS.filter((name) => payloads.includes(name));
    const places = HOSTS.filter((host) => hosts.includes(host)).map((host) => {
      const here = codecs.filter(({ onlyInNode }) => host === 'node' || !onlyInNode);
      const plans = wanted.map((name) => planOf(name, here, extent));
      return { host, plans, launches: extent === 'quick' ? 1 : LAUNCHES };
    });
    return {
      places,
      scenarios: wanted.map((name) => ({ name })),
      ...(extent !== 'quick' && { compared: comparedOf(codecs) }),
      async open(directory) {
        for (const name of ['capnweb', ...CODEC_PACKAGES]) assertPinned(name);
        const client = await bundleTasks(TASKS, directory, { conditions: SOURCES });
        const config = { ...readWorkerConfig(), objects: {} };
        const server = new WorkerdHost(await bundleWorker(WORKER.pathname, directory, SOURCES), config);
        return async ({ host, seed, keep, client: start }: Launch) => {
          const { plans } = places.find((place) => place.host === host)!;
          const url = host === 'workerd' ? (await keep(server.start())).url : undefined;
          const measuring = measuringOf(host as CodecHost, extent);
          const process = start<typeof import('../values/tasks.ts')>(client, LIKE_A_WORKER);
          return process.ask('codecs', { url, seed, payloads: plans, measuring });
        };
      },
    };
  },
} satisfies Family;

function measuringOf(host: CodecHost, extent: Extent): Measuring {
  if (extent === 'quick') return ONCE;
  const share = extent === 'whole' ? WHOLE_SHARE : 1;
  const { bothMs, partMs, limitMs, ...rest } = DURATIONS[host];
  return { ...rest, bothMs: bothMs * share, partMs: partMs * share, limitMs: limitMs * share };
}

function planOf(name: string, codecs: readonly Codec[], extent: Extent): ScenarioPlan {
  const arms = codecs
    .filter(({ onlyBytes }) => !onlyBytes || name.startsWith('bytes-'))
    .map((codec) => ({ id: codec.name, subject: codec.name }));
  if (extent === 'quick') return { scenario: name, arms, rounds: 1, mirrored: false };
  const control = arms.some(({ id }) => id === CONTROL.subject) ? [CONTROL] : [];
  const rounds = LADDER.test(name) ? LADDER_ROUNDS : ROUNDS;
  return { scenario: name, arms: [...arms, ...control], rounds, mirrored: true };
}

/** Compares `lumenize` with every other codec, and every other codec with JSON, if both support the payload. */
function comparedOf(codecs: readonly Codec[]): Compared {
  const { subject } = CONTROL;
  const others = codecs.map(({ name }) => name).filter((name) => name !== subject);
  const rivals = others.filter((name) => name !== 'JSON').map((name) => ({ subject: name, baseline: 'JSON' }));
  return { pairs: [...others.map((baseline) => ({ subject, baseline })), ...rivals], control: CONTROL };
}
