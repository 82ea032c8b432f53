import type { Place } from '../hosts/host.ts';
import { describeLink, LINKS } from '../links/link.ts';

const SUBJECTS: Readonly<Record<string, string>> = {
  lumenize: 'Lumenize RPC',
  'lumenize-accept': 'Lumenize RPC (hibernation off)',
  'lumenize-batches': 'Lumenize RPC (events stored in batches)',
  'lumenize-http': 'Lumenize RPC over HTTP',
  'lumenize-port': 'Lumenize RPC over a MessagePort',
  'lumenize-native': 'Lumenize RPC over the platform’s RPC',
  capnweb: "Cap'n Web",
  'capnweb-plain': "Cap'n Web (compression off)",
  'capnweb-http': "Cap'n Web over HTTP",
  'capnweb-port': "Cap'n Web over a MessagePort",
  raw: 'raw JSON',
  'raw-accept': 'raw JSON (hibernation off)',
  'raw-plain': 'raw JSON (compression off)',
  'raw-one-frame': 'raw JSON (one frame)',
  'raw-port': 'raw postMessage',
  native: 'the platform’s RPC',
};

/** Returns what a subject is called in the log. */
export function subjectName(subject: string): string {
  return SUBJECTS[subject] ?? subject.replace(/^at-/, 'Lumenize RPC at ');
}

/** What a place is called in the log. */
export const HOST_NAMES: Readonly<Record<Place, string>> = {
  node: 'Node',
  workerd: 'workerd',
  'wrangler-dev': 'wrangler dev, trace collector off',
  'wrangler-dev-traced': 'wrangler dev, as it comes',
  'workerd-lan': `workerd over “lan” (${describeLink(LINKS.lan)})`,
  'workerd-cable': `workerd over “cable” (${describeLink(LINKS.cable)})`,
  'workerd-lte': `workerd over “lte” (${describeLink(LINKS.lte)})`,
  'workerd-far': `workerd over “far” (${describeLink(LINKS.far)})`,
  deployed: 'a deployed Worker',
};
