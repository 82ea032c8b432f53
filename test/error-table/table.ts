/** The entry of a code in the list. */
export interface DocumentedCode {
  readonly code: string;
  readonly meaning: string;
  /** Says whether a call that rejects with the code ran. */
  readonly ran: string;
  readonly toDo: string;
}

/** Guides that say more about a code. */
const GUIDES: Readonly<Record<string, string>> = {
  OUTCOME_UNKNOWN: 'delivery.md',
  TOO_LARGE: 'values.md#large-values',
  LIMIT_EXCEEDED: 'limits.md',
  OVERLOADED: 'limits.md',
  RATE_LIMITED: 'limits.md',
  INVALID_ARGUMENTS: 'access.md#check-arguments',
  DENIED: 'access.md',
  EXPIRED: 'access.md#expiring',
  REFERENCE_LOST: 'references.md',
  CANCELLED: 'calls.md#cancel-calls-and-limit-their-time',
  TIMED_OUT: 'calls.md#cancel-calls-and-limit-their-time',
};

/** Reads the list in the doc comment of `RpcErrorCode`. Throws where an entry is not of its form. */
export function documentedCodes(source: string): DocumentedCode[] {
  const [comment] = /\/\*\*[\s\S]*?\*\//.exec(source)!;
  return comment
    .split(/^ \* - /m)
    .slice(1)
    .map((entry) => {
      const text = entry
        .replace(/\*\/\s*$/, '')
        .replace(/\s*\n \* *|\s+$/g, ' ')
        .trim();
      const [, code, meaning, ran, toDo] = /^`([A-Z_]+)`: (.+)\. Ran: (.+)\. To do: (.+)\.$/.exec(text) ?? [];
      if (code === undefined) throw new Error(`not "\`CODE\`: Meaning. Ran: …. To do: …." but "${text}"`);
      return { code, meaning, ran, toDo };
    });
}

/** Makes the table of the guide. */
export function errorTable(codes: readonly DocumentedCode[], isRetryable: (code: string) => boolean): string {
  const rows = codes.map(({ code, meaning, ran, toDo }) => {
    const more = GUIDES[code] === undefined ? '' : ` ([more](${GUIDES[code]}))`;
    const cells = [`\`${code}\``, uncapitalised(meaning), ran, isRetryable(code) ? 'yes' : '', `${toDo}${more}`];
    return `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |');
  });
  return ['| code | meaning | did it run? | retryable | what to do |', '| --- | --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

function uncapitalised(text: string): string {
  return text[0].toLowerCase() + text.slice(1);
}
