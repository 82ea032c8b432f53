import { type Direction, describeFrame, type FrameDescription } from '@lumenize/rpc/inspect';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type EncodingPart, partsOfEncoding } from './encoding-parts.ts';

/** Beyond so many parts, and bytes of a part, the rest is only counted. */
const MOST_PARTS = 200;
const MOST_BYTES = 24;
/** A larger frame would take its time, for parts that nobody could look through. */
const LARGEST = 64 * 2 ** 10;

interface ShownPart extends EncodingPart {
  readonly hex: string;
}

interface FrameBytesProps {
  readonly bytes: Uint8Array;
  readonly direction: Direction;
}

/** The bytes of a frame, with what they say: the parts in their order, each marked where it is meant. */
export function FrameBytes({ bytes, direction }: FrameBytesProps) {
  const { parts, rest, problem } = useMemo(() => takeApart(bytes, direction), [bytes, direction]);
  const place = useRef<HTMLDivElement>(null);
  const marked = useSignal(-1);
  useEffect(() => {
    const element = place.current!;
    const mark = ({ target }: Event) => {
      const part = target instanceof Element ? target.closest<HTMLElement>('[data-part]') : null;
      marked.value = Number(part?.dataset.part ?? -1);
    };
    element.addEventListener('pointerover', mark);
    element.addEventListener('pointerleave', mark);
    return () => {
      element.removeEventListener('pointerover', mark);
      element.removeEventListener('pointerleave', mark);
    };
  }, [marked]);
  const isMarked = (number: number) => (number === marked.value ? 'true' : undefined);
  return (
    <div class="frame-bytes" ref={place}>
      <p class="hex mono" aria-hidden="true">
        {parts.map((part, i) => (
          <span key={part.start} data-part={i} data-kind={part.kind} data-marked={isMarked(i)}>
            {part.hex}
          </span>
        ))}
        {rest > 0 && '…'}
      </p>
      <ol class="parts">
        {parts.map((part, i) => (
          <li key={part.start} data-part={i} data-marked={isMarked(i)}>
            <code data-kind={part.kind}>{part.hex}</code>
            <span style={{ '--depth': part.depth }}>{part.label}</span>
          </li>
        ))}
        {rest > 0 && <li class="note">and {rest} parts more</li>}
      </ol>
      {problem && <p class="note">{problem}</p>}
    </div>
  );
}

function takeApart(
  bytes: Uint8Array,
  direction: Direction,
): { parts: readonly ShownPart[]; rest: number; problem?: string } {
  const whole = { start: 0, end: bytes.length, kind: 'bytes', label: 'the whole frame', depth: 0 } as const;
  const asOne = { parts: [{ ...whole, hex: hexOf(bytes, whole) }], rest: 0 };
  if (bytes.length > LARGEST)
    return { ...asOne, problem: `Frames of more than ${LARGEST / 1024} KiB are not taken apart.` };
  try {
    const all = partsOfEncoding(bytes);
    const { kind } = describeFrame(bytes, direction);
    const parts = all.slice(0, MOST_PARTS).map((part) => ({
      ...part,
      label: part.depth === 0 ? labelInFrame(part, kind) : part.label,
      hex: hexOf(bytes, part),
    }));
    return { parts, rest: all.length - parts.length };
  } catch (error) {
    return { ...asOne, problem: `These bytes are no encoding: ${error instanceof Error ? error.message : error}.` };
  }
}

/** Says what a value of the frame itself is for, in the two kinds of which nearly all are. */
function labelInFrame({ start, kind, label }: EncodingPart, frame: FrameDescription['kind']): string {
  if (frame !== 'calls' && frame !== 'results') return label;
  if (kind === 'number')
    return start === 0 ? `${label}: the number of its first ${frame === 'calls' ? 'call' : 'answer'}` : label;
  if (kind !== 'container') return label;
  return `${label}: ${frame === 'calls' ? 'a call, of receiver, name and arguments' : 'an answer'}`;
}

function hexOf(bytes: Uint8Array, { start, end }: EncodingPart): string {
  const shown = bytes.subarray(start, Math.min(end, start + MOST_BYTES));
  const hex = Array.from(shown, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  return end - start > MOST_BYTES ? `${hex} … ${end - start} bytes` : hex;
}
