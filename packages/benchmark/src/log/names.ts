import type { Place } from '../hosts/host.ts';

const SUBJECTS: Readonly<Record<string, string>> = {
  lumenize: 'Lumenize RPC',
  'lumenize-accept': 'Lumenize RPC (hibernation off)',
  capnweb: "Cap'n Web",
  raw: 'raw JSON',
  'raw-accept': 'raw JSON (hibernation off)',
  'raw-one-frame': 'raw JSON (one frame)',
};

/** Returns what a subject is called in the log. */
export function subjectName(subject: string): string {
  return SUBJECTS[subject] ?? subject;
}

/** What a place is called in the log. */
export const HOST_NAMES: Readonly<Record<Place, string>> = {
  node: 'Node',
  workerd: 'workerd',
  'wrangler-dev': 'wrangler dev, trace collector off',
  'wrangler-dev-traced': 'wrangler dev, as it comes',
};
