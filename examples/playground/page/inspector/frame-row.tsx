import { formatBytes, formatMs } from '../ui/format.ts';
import { FrameText } from '../ui/frame-text.tsx';
import type { Row } from './rows.ts';

export const COLUMNS = ['Time', 'Connection', 'Way', 'Kind', 'Size', 'After', 'Contents'] as const;

/** Longer contents are cut in the table; all of it is in the details. */
const MAX_CONTENTS = 240;

interface FrameRowProps {
  readonly row: Row;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A frame in the table, and where it is opened, all that is in it. */
export function FrameRow({ row: { frame, kind, lines, tookMs }, isOpen, onToggle }: FrameRowProps) {
  const { name, direction, size, message, timeMs } = frame;
  const details = `frame-${frame.number}`;
  return (
    <>
      <tr class="frame" data-direction={direction}>
        <td>
          <button type="button" aria-expanded={isOpen} aria-controls={isOpen ? details : undefined} onClick={onToggle}>
            <span class="visually-hidden">Details of frame {frame.number}, at </span>
            {(timeMs / 1000).toFixed(3)} s
          </button>
        </td>
        <td class="name">{name}</td>
        <td class="direction">{direction === 'up' ? '↑ up' : '↓ down'}</td>
        <td>{kind}</td>
        <td>{formatBytes(size)}</td>
        <td>{tookMs === undefined ? '' : formatMs(tookMs)}</td>
        <td class="contents mono">{lines.join(' · ').slice(0, MAX_CONTENTS)}</td>
      </tr>
      {isOpen && (
        <tr class="details">
          <td colSpan={COLUMNS.length} id={details}>
            <p class="note">
              Socket {frame.connection} of this connection, frame {frame.number} of this page.
            </p>
            <pre class="code">{lines.join('\n')}</pre>
            {message && <FrameText message={message} />}
          </td>
        </tr>
      )}
    </>
  );
}
