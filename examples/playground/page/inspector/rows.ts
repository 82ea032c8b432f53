import { type Direction, describeFrame, type FrameDescription, formatFrame } from '@lumenize/inspect';
import { type LoggedFrame, MAX_FRAME_BYTES } from './frame-log.ts';

/** A frame as it is shown. */
export interface Row {
  readonly frame: LoggedFrame;
  readonly kind: FrameDescription['kind'] | 'too large';
  /** What is in it, as lines. */
  readonly lines: readonly string[];
  /** For answers: milliseconds since the first call that is answered was sent, where that is still in the log. */
  readonly tookMs: number | undefined;
}

/** What of the log is shown. */
export interface Filter {
  /** Part of what is in a frame, of its kind or of its connection, regardless of case. */
  readonly text: string;
  readonly connection: string;
  readonly direction: Direction | '';
}

/** Frames do not change, and are described once. */
const described = new WeakMap<LoggedFrame, { description: FrameDescription | undefined; lines: readonly string[] }>();

/** Describes frames, the newest first, with what they answer. */
export function rowsOf(frames: readonly LoggedFrame[]): Row[] {
  const asked = new Map<string, number>();
  const rows = frames.map((frame): Row => {
    const { description, lines } = describeOnce(frame);
    let tookMs: number | undefined;
    if (description?.kind === 'calls') {
      for (const { id } of description.calls) {
        const key = keyOf(frame, frame.direction, id);
        // What is sent again was asked before.
        if (!asked.has(key)) asked.set(key, frame.timeMs);
      }
    } else if (description?.kind === 'answers' && description.answers.length > 0) {
      const other = frame.direction === 'up' ? 'down' : 'up';
      const since = asked.get(keyOf(frame, other, description.answers[0].id));
      if (since !== undefined) tookMs = frame.timeMs - since;
    }
    return { frame, kind: description?.kind ?? 'too large', lines, tookMs };
  });
  return rows.reverse();
}

/** Whether a filter lets a row through. */
export function matches({ frame, kind, lines }: Row, { text, connection, direction }: Filter): boolean {
  if (connection !== '' && frame.name !== connection) return false;
  if (direction !== '' && frame.direction !== direction) return false;
  const wanted = text.trim().toLowerCase();
  return [frame.name, kind, ...lines].some((each) => each.toLowerCase().includes(wanted));
}

function describeOnce(frame: LoggedFrame) {
  let known = described.get(frame);
  if (known === undefined) {
    const description = frame.message === undefined ? undefined : describeFrame(frame.message);
    const lines = description
      ? // Its first line says kind and size, which have columns of their own.
        formatFrame(description)
          .split('\n')
          .slice(1)
          .map((line) => line.slice(2))
      : [`more than ${MAX_FRAME_BYTES / 1024} KiB, of which only the size is kept`];
    known = { description, lines };
    described.set(frame, known);
  }
  return known;
}

/** Ids are a client's own, over all its connections. */
function keyOf({ name }: LoggedFrame, direction: Direction, id: number): string {
  return `${direction} ${id} ${name}`;
}
