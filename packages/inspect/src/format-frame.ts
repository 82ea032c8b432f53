import { formatCall, formatValue } from './format-value.ts';
import type {
  DescribedAnswer,
  DescribedCall,
  DescribedCalls,
  DescribedSignal,
  FrameContent,
  FrameDescription,
} from './frame-description.ts';

/** Formats a described frame as readable lines of text: its kind and size, then each of its entries. */
export function formatFrame(frame: FrameDescription): string {
  return [`${frame.kind}, ${frame.size} bytes`, ...linesOf(frame).map((line) => `  ${line}`)].join('\n');
}

function linesOf(frame: FrameContent): readonly string[] {
  switch (frame.kind) {
    case 'calls':
      return callLines(frame);
    case 'answers':
      return frame.answers.map(answerLine);
    case 'again':
      return [
        `first sent ${frame.ageMs} ms before, to be answered: ${frame.open.join(', ')}`,
        ...callLines(frame.frame),
      ];
    case 'events': {
      const { topic, first, events } = frame;
      const [, number] = first;
      if (events.length === 0) return [`${formatValue(topic)} goes on with event ${number}`];
      return events.map((event, place) => `${formatValue(topic)} ${number + place}: ${formatValue(event)}`);
    }
    case 'signal':
      return [signalLine(frame)];
    case 'text':
      return [frame.text];
    case 'unreadable':
      return [`${frame.code}: ${frame.message}`];
    default:
      return frame satisfies never;
  }
}

function callLines({ calls, givenUp, settledBelow }: DescribedCalls): string[] {
  return [
    ...calls.map(callLine),
    ...givenUp.map((id) => `${id} was given up`),
    ...(settledBelow === undefined ? [] : [`all calls below ${settledBelow} have settled`]),
  ];
}

function callLine(call: DescribedCall): string {
  const { id, timeoutMs, traceparent, since } = call;
  const more = [
    timeoutMs !== undefined && `within ${timeoutMs} ms`,
    traceparent !== undefined && `trace ${traceparent}`,
    since !== undefined && `since ${since[1]}`,
  ].filter(Boolean);
  return `${id}: ${formatCall(call, formatValue)}${more.length > 0 ? ` (${more.join(', ')})` : ''}`;
}

function answerLine(answer: DescribedAnswer): string {
  return answer.outcome === 'returned'
    ? `${answer.id} = ${formatValue(answer.value)}`
    : `${answer.id} failed: ${formatValue(answer.error)}`;
}

function signalLine({ name, content }: DescribedSignal): string {
  const { [name]: first, ms, why } = content;
  switch (name) {
    case 'release':
      return `release ${pairs(first, (id, count) => `#${id} (${count})`)}`;
    case 'cancel':
      return `cancel ${pairs(first, (id, code) => `${id}: ${code}`)}`;
    case 'abort':
      return `abort <signal ${first}>: ${formatValue(why)}`;
    case 'as':
      return `identity ${first}${ms === undefined ? '' : `, for ${ms} ms`}`;
    case 'from':
      return `calls from ${first} on do not run${why === undefined ? '' : `: ${why}`}`;
    case 'coming':
      return `${first} bytes are coming`;
    default:
      return `${name} ${formatValue(first)}`;
  }
}

function pairs(list: unknown, each: (id: number, second: unknown) => string): string {
  const parts = list as readonly unknown[];
  return parts.flatMap((id, at) => (at % 2 === 0 ? [each(id as number, parts[at + 1])] : [])).join(', ');
}
