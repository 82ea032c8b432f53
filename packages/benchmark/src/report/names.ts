/** The names of subjects, baselines and codecs for readers. What is not here is called the same everywhere. */
const NAMES: Readonly<Record<string, string>> = {
  lumenize: 'Lumenize RPC',
  'lumenize-accept': 'Lumenize RPC (no hibernation)',
  'lumenize-batches': 'Lumenize RPC (events stored in batches)',
  'lumenize-http': 'Lumenize RPC (HTTP batches)',
  'lumenize-port': 'Lumenize RPC (MessagePort)',
  'lumenize-native': 'Lumenize RPC (Worker to object)',
  'lumenize-text': 'Lumenize (text form)',
  capnweb: "Cap'n Web",
  'capnweb-plain': "Cap'n Web (uncompressed)",
  'capnweb-http': "Cap'n Web (HTTP batches)",
  'capnweb-port': "Cap'n Web (MessagePort)",
  raw: 'hand-written JSON',
  'raw-accept': 'hand-written JSON (no hibernation)',
  'raw-plain': 'hand-written JSON (uncompressed)',
  'raw-one-frame': 'hand-written JSON (one frame per turn)',
  'raw-port': 'hand-written postMessage',
  native: 'Workers RPC',
  base: 'no feature',
};

/** Returns the name of a subject, baseline or codec for readers. */
export function nameOf(subject: string): string {
  return NAMES[subject] ?? subject;
}

/** Returns what sets a subject apart from the main one of its library: ` (no hibernation)`. */
export function variantOf(subject: string): string {
  return nameOf(subject).replace(/^[^(]*?(?= \(|$)/, '');
}

/** Replaces the subjects in a text about a bar: recorded runs name them as the benchmark does. */
export function withNames(text: string): string {
  return text.replace(/(by|against) ([\w-]+)/g, (_, word, subject) => `${word} ${nameOf(subject)}`);
}
