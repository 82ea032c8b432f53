import type { ByReference } from './by-reference.ts';
import type { DescribedCall, DescribedRecording } from './frame-description.ts';

/** How what stands in a reference is written. */
type Format = (value: unknown) => string;

/** Writes a path as JavaScript does; `isBare`: the first name as that of a field in an object. */
export function formatPath(path: readonly string[], isBare = false): string {
  const [first = '', ...rest] = path;
  const isName = (name: string) => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name);
  if (isBare) return (isName(first) ? first : JSON.stringify(first)) + formatPath(rest);
  return path.map((name) => (isName(name) ? `.${name}` : `[${JSON.stringify(name)}]`)).join('');
}

/** Writes what is called, and with what: `$1` is the result of call 1, `#1` a reference that the callee has sent. */
export function formatCall({ receiver, path, method, args }: DescribedCall, format: Format): string {
  const names = method === undefined ? path : [...path, method];
  const isOwn = receiver.kind === 'connection target';
  const called =
    isOwn && names.length > 0 ? formatPath(names, true) : formatReference(receiver, format) + formatPath(names);
  return args === undefined ? called : `${called}(${args.map(format).join(', ')})`;
}

/** Writes what a mark stands for, and which path of it. */
export function formatReference({ kind, id, path, content }: ByReference, format: Format): string {
  return noun() + formatPath(path);

  function noun(): string {
    switch (kind) {
      case 'connection target':
        return '<target>';
      case 'result':
        return `$${id}`;
      case 'reference':
        return `#${id}`;
      case 'element':
      case 'key':
        return kind;
      case 'subscription': {
        const { topic, last, missed } = content as { topic: string; last: number; missed: number };
        return `<subscription to ${format(topic)} behind ${last}${missed > 0 ? `, ${missed} missed` : ''}>`;
      }
      case 'recording':
        return formatRecording(content as DescribedRecording, format);
      case 'signal':
        return id === undefined ? `<signal aborted: ${format(content)}>` : `<signal ${id}>`;
      default:
        return `<${kind} ${id}${content === 'bytes' ? ' of bytes' : ''}>`;
    }
  }
}

function formatRecording({ calls, result, captures }: DescribedRecording, format: Format): string {
  const steps = calls.map((call) => `$${call.id} = ${formatCall(call, format)}; `).join('');
  const used = captures.length > 0 ? ` with captures ${captures.map(format).join(', ')}` : '';
  return `<(element, key) => { ${steps}return ${format(result)} }${used}>`;
}
