import { formatCall } from './format-reference.ts';
import { formatValue } from './format-value.ts';
import type {
  DescribedCall,
  DescribedChannelSignal,
  DescribedResult,
  DescribedSignal,
  FrameDescription,
} from './frame-description.ts';

/** Writes a described frame as lines of text, for logs and for people: what it is, and what is in it, a line each. */
export function formatFrame(frame: FrameDescription): string {
  return [`${frame.kind}, ${frame.size} bytes`, ...contentOf(frame).map((line) => `  ${line}`)].join('\n');
}

function contentOf(frame: FrameDescription): string[] {
  switch (frame.kind) {
    case 'calls':
      return [...frame.calls.map(callLine), ...frame.signals.map(signalLine)];
    case 'results':
      return frame.results.map(resultLine);
    case 'channels':
      return frame.signals.map(channelLine);
    case 'events':
      return frame.events.length === 0
        ? [`${formatValue(frame.topic)} goes on with event ${frame.first}`]
        : frame.events.map(({ sequence, event }) => `${formatValue(frame.topic)} ${sequence}: ${formatValue(event)}`);
    case 'resent': {
      const when = frame.ageMs === undefined ? 'not sent before' : `sent ${frame.ageMs} ms before`;
      const behind = [...frame.subscriptions].map(([id, last]) => `subscription ${id} goes on behind ${last}`);
      return [`${when}, to be answered: ${frame.ids.join(', ')}`, ...behind, ...formatFrame(frame.frame).split('\n')];
    }
    case 'part':
      return [`${frame.remaining} more to come`];
    case 'token':
      return [`${frame.length} characters`];
    case 'unreadable':
      return [`${frame.code}: ${frame.message}`];
  }
}

function callLine(call: DescribedCall): string {
  const more = [
    call.isStep && 'only a step',
    call.timeoutMs !== undefined && `within ${call.timeoutMs} ms`,
    call.traceparent !== undefined && `trace ${call.traceparent}`,
  ].filter(Boolean);
  return `${call.id}: ${formatCall(call, formatValue)}${more.length > 0 ? ` (${more.join(', ')})` : ''}`;
}

function resultLine(result: DescribedResult): string {
  const { id } = result;
  if (result.outcome === 'returned') return `${id} = ${formatValue(result.value)}${result.isStored ? ' (stored)' : ''}`;
  if (result.outcome === 'failed') return `${id} failed: ${formatValue(result.error)}`;
  const because = result.index < 0 ? '' : ` because of ${id + result.index}`;
  return `the frame of ${id} was refused${because}: ${formatValue(result.error)}`;
}

function signalLine(signal: DescribedSignal): string {
  switch (signal.kind) {
    case 'release':
      return `release ${signal.references.map(({ id, count }) => `#${id} (${count})`).join(', ')}`;
    case 'forget':
    case 'acknowledge':
      return `${signal.kind} ${signal.ids.map((id) => `$${id}`).join(', ')}`;
    case 'leave':
      return 'leave';
    case 'cancel':
      return `cancel ${signal.id}: ${formatValue(signal.reason)}`;
    case 'consumed':
      return `consumed ${formatValue(signal.topic)} up to ${signal.cost}`;
    case 'unsubscribe':
      return `unsubscribe ${formatValue(signal.topic)} (${signal.count})`;
  }
}

function channelLine({ channel, owner, kind, content }: DescribedChannelSignal): string {
  const whose = owner === 'sender' ? 'own channel' : 'channel';
  return `${whose} ${channel} ${kind}${content === undefined ? '' : `: ${formatValue(content)}`}`;
}
