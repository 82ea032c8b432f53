import { type FuzzCase, makeCase } from './cases.ts';
import { makeCorpus } from './corpus.ts';
import type { Failure } from './judge.ts';
import { minimise } from './minimise.ts';
import { FuzzThread, type FuzzThreadOptions, HANG_MS } from './thread.ts';

/** How long to try, and what. */
export interface CampaignOptions extends FuzzThreadOptions {
  readonly seed: number;
  /** Stops after so many cases. @default no end */
  readonly cases?: number;
  /** Stops after so long. @default no end */
  readonly milliseconds?: number;
  /** Threads that try cases at the same time. @default 1 */
  readonly threads?: number;
  /** How long to make one failing case smaller. @default 20000 */
  readonly minimiseMs?: number;
  /** Called now and then with the number of cases so far. */
  readonly onProgress?: (cases: number) => void;
}

/** A way in which the codec failed: the smallest case found, and the first. */
export interface Finding {
  readonly failure: Failure;
  readonly smallest: FuzzCase;
  readonly seed: number;
  readonly number: number;
  /** How many cases failed like this. */
  times: number;
}

export interface CampaignResult {
  readonly cases: number;
  readonly milliseconds: number;
  readonly findings: readonly Finding[];
}

/** From so many cases on, others start from a corpus of their own. */
const CASES_PER_CORPUS = 50_000;
/** Failures that are worth being told apart; with more, something is wrong altogether. */
const MAX_FINDINGS = 20;

/** Decodes damaged encodings until cases or time are used up, and makes what fails small. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const campaign = new Campaign(options);
  await Promise.all(Array.from({ length: options.threads ?? 1 }, () => campaign.work()));
  return campaign.result();
}

class Campaign {
  readonly #options: CampaignOptions;
  readonly #start = performance.now();
  readonly #findings = new Map<string, Finding>();
  #begun = 0;
  #done = 0;

  constructor(options: CampaignOptions) {
    this.#options = options;
  }

  async work(): Promise<void> {
    await using thread = new FuzzThread(this.#options);
    const { cases = Number.POSITIVE_INFINITY, milliseconds = Number.POSITIVE_INFINITY, onProgress } = this.#options;
    while (
      this.#begun < cases &&
      performance.now() - this.#start < milliseconds &&
      this.#findings.size < MAX_FINDINGS
    ) {
      // Each its own seed, so that any corpus and its cases can be had again without those before.
      const seed = (this.#options.seed + this.#begun / CASES_PER_CORPUS) >>> 0;
      const count = Math.min(CASES_PER_CORPUS, cases - this.#begun);
      this.#begun += CASES_PER_CORPUS;
      await this.#try(thread, seed, count);
      this.#done += count;
      onProgress?.(this.#done);
    }
  }

  result(): CampaignResult {
    return {
      cases: this.#done,
      milliseconds: performance.now() - this.#start,
      findings: [...this.#findings.values()],
    };
  }

  /** Tries all cases of a seed; one that ends its thread is looked at alone. */
  async #try(thread: FuzzThread, seed: number, count: number): Promise<void> {
    const found: [number: number, failure: Failure][] = [];
    const corpus = makeCorpus(seed);
    const caseOf = (number: number) => makeCase(corpus, seed, number);
    const onFailure = (number: number, failure: Failure) => found.push([number, failure]);
    for (let from = 0; from < count; ) {
      const end = await thread.run({ corpus, seed, from, to: count }, onFailure);
      if (end.type === 'done') break;
      if (end.type === 'tainted') {
        const exact = await thread.run({ corpus, seed, from: end.from, to: end.to, careful: true }, () => {});
        if (exact.type === 'tainted') found.push([exact.from, { kind: 'changes a prototype', message: exact.what }]);
        from = exact.type === 'tainted' ? exact.to : end.to;
      } else {
        if (end.number < 0) throw new Error(`a thread could not start: ${end.what}`);
        const failure = await thread.judge(caseOf(end.number));
        if (failure !== undefined) found.push([end.number, failure]);
        // Each takes seconds, and the next would say nothing new.
        if (failure !== undefined) break;
        from = end.number + 1;
      }
    }
    for (const [number, failure] of found) await this.#note(thread, failure, caseOf(number), seed, number);
  }

  /** Makes a case smaller if it is the first that fails like this, else counts it. */
  async #note(thread: FuzzThread, failure: Failure, fuzzCase: FuzzCase, seed: number, number: number): Promise<void> {
    const signature = signatureOf(failure);
    const known = this.#findings.get(signature);
    if (known !== undefined) known.times++;
    if (known !== undefined || this.#findings.size >= MAX_FINDINGS) return;
    const finding = { failure, smallest: fuzzCase, seed, number, times: 1 };
    this.#findings.set(signature, finding);
    finding.smallest = await minimise(
      fuzzCase,
      async (smaller) => {
        const its = await thread.judge(smaller, this.#options.hangMs ?? HANG_MS);
        return its !== undefined && signatureOf(its) === signature;
      },
      this.#options.minimiseMs ?? 20_000,
    );
    finding.failure = (await thread.judge(finding.smallest)) ?? failure;
  }
}

/** What failures with the same cause mostly have in common: all but numbers, and where it happened. */
function signatureOf({ kind, message }: Failure): string {
  return `${kind}: ${message
    .replace(/^value.*?: /s, '')
    .replace(/"(?:[^"\\]|\\.)*"/gs, '""')
    .replaceAll(/-?\d+(\.\d+)?/g, '0')}`;
}
