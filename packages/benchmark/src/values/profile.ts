import type { Pair } from '../blocks/arms.ts';
import { CODECS } from '../codecs/all.ts';
import type { Codec, CodecName } from '../codecs/codec.ts';
import { PORTABLE_CODECS } from '../codecs/portable.ts';
import type { Extent } from '../families/family.ts';
import { PAYLOADS } from '../payloads/all.ts';
import type { Payload } from '../payloads/payload.ts';
import type { CodecArm, CodecHost, Durations, PayloadPlan } from './plan.ts';

/** `lumenize` against itself: an effect found here is the method's own. */
export const CODEC_CONTROL: CodecArm = { id: 'lumenize-again', subject: 'lumenize' };

/** What is measured on one host, and how many launches of it. */
export interface ValuesHostPlan {
  readonly host: CodecHost;
  readonly launches: number;
  readonly durations: Durations;
  readonly limitMs: number;
  readonly payloads: readonly PayloadPlan[];
}

/** A choice of payloads, codecs, hosts and repetitions. */
export interface ValuesProfile {
  readonly hosts: readonly ValuesHostPlan[];
  readonly pairs: readonly Pair[];
}

/** What part of the family is wanted; without a list, all. */
export interface Selection {
  /** @default 'alone' */
  readonly extent?: Extent;
  readonly codecs?: readonly string[] | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly payloads?: readonly string[] | undefined;
}

const HOSTS: Readonly<Record<CodecHost, { codecs: readonly Codec[]; durations: Durations }>> = {
  node: { codecs: CODECS, durations: { sampleMs: 0.2, bothMs: 4, partMs: 2, warmUpMs: 40 } },
  // Few samples a block, because each is a request, whose own cost has to be small beside it.
  workerd: { codecs: PORTABLE_CODECS, durations: { sampleMs: 2, bothMs: 5, partMs: 0, warmUpMs: 30 } },
};

const LAUNCHES = 3;
/** Of the time that the family takes alone, its share as part of the full profile. */
const WHOLE_SHARE = 0.5;
/** For one payload: a machine that needs longer has fewer rounds; on a quick one all of them are over before. */
const LIMIT_MS = 1200;
/** In each launch; six in all are needed for a verdict. */
const ROUNDS = 4;
const LADDER_ROUNDS = 3;
const LADDER = /-\d+(B|KiB|MiB)$/;

const ONCE: Durations = { sampleMs: 0, bothMs: 0, partMs: 0, warmUpMs: 0 };

/**
 * The family, or the part of it that is wanted: alone in two to four minutes, as part of the full profile in half of
 * that, quickly with one operation of each kind.
 */
export function valuesProfile(selection: Selection = {}): ValuesProfile {
  if (selection.extent === 'quick') return quickProfile(selection);
  const share = selection.extent === 'whole' ? WHOLE_SHARE : 1;
  const rounds = ({ name }: Payload) => (LADDER.test(name) ? LADDER_ROUNDS : ROUNDS);
  const plans = hostPlans(selection, (payload, codecs) => {
    const control = codecs.some(({ name }) => name === CODEC_CONTROL.subject) ? [CODEC_CONTROL] : [];
    return { ...planOf(payload, codecs, control), rounds: rounds(payload), mirrored: true };
  }).map(({ limitMs, durations, ...plan }) => ({
    ...plan,
    limitMs: limitMs * share,
    durations: { ...durations, bothMs: durations.bothMs * share, partMs: durations.partMs * share },
  }));
  return { hosts: plans, pairs: pairsOf(plans) };
}

/** One operation of each kind: shows that everything works, measures nothing worth keeping. */
function quickProfile(selection: Selection): ValuesProfile {
  const plans = hostPlans(selection, (payload, codecs) => planOf(payload, codecs, [])).map((plan) => ({
    ...plan,
    launches: 1,
    durations: ONCE,
  }));
  return { hosts: plans, pairs: [] };
}

function hostPlans(
  { codecs, hosts, payloads }: Selection,
  plan: (payload: Payload, codecs: readonly Codec[]) => PayloadPlan,
): ValuesHostPlan[] {
  assertKnown(
    'codec',
    codecs,
    CODECS.map(({ name }) => name),
  );
  assertKnown('host', hosts, Object.keys(HOSTS));
  assertKnown('payload', payloads, [...PAYLOADS.keys()]);
  const wanted = (list: readonly string[] | undefined, name: string) => list === undefined || list.includes(name);
  return (['node', 'workerd'] as const)
    .filter((host) => wanted(hosts, host))
    .map((host) => {
      const here = HOSTS[host].codecs.filter(({ name }) => wanted(codecs, name));
      const plans = [...PAYLOADS.values()].filter(({ name }) => wanted(payloads, name)).map((each) => plan(each, here));
      return { host, launches: LAUNCHES, limitMs: LIMIT_MS, durations: HOSTS[host].durations, payloads: plans };
    });
}

function planOf(payload: Payload, codecs: readonly Codec[], more: readonly CodecArm[]): PayloadPlan {
  const takesPart = ({ kind }: Codec) => kind !== 'reference' || payload.kind === 'bytes';
  const arms = codecs.filter(takesPart).map(({ name }): CodecArm => ({ id: name, subject: name }));
  return { scenario: payload.name, arms: [...arms, ...more], rounds: 1, mirrored: false };
}

/** `lumenize` is compared with every other, and every other with JSON; where one cannot carry a payload, not. */
function pairsOf(plans: readonly ValuesHostPlan[]): Pair[] {
  const names = new Set(plans.flatMap(({ payloads }) => payloads.flatMap(({ arms }) => arms.map(({ id }) => id))));
  names.delete(CODEC_CONTROL.id);
  const all = [...names];
  const pair = (subject: string, baseline: CodecName | string): Pair => ({ subject, baseline });
  return [
    ...all.filter((name) => name !== 'lumenize').map((name) => pair('lumenize', name)),
    ...all.filter((name) => name !== 'lumenize' && name !== 'JSON').map((name) => pair(name, 'JSON')),
  ];
}

function assertKnown(what: string, wanted: readonly string[] | undefined, known: readonly string[]): void {
  const unknown = wanted?.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`no ${what} is called ${unknown}; there are ${known.join(', ')}`);
}
