import cliProgress from 'cli-progress';

/** Hears how far a run has come. */
export interface Progress {
  start(total: number): void;
  /** `done` of the total, while `doing` is under way. */
  update(done: number, doing: string): void;
  stop(): void;
}

const LINE_EVERY_MS = 5000;
/** Drawing is work: it must not take the cores from what is measured. */
const DRAWS_PER_SECOND = 2;

/** A bar where `stream` is a terminal, a line every few seconds where it is not. */
export function showProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  return stream.isTTY ? bar(stream) : lines(stream);
}

function bar(stream: NodeJS.WriteStream): Progress {
  const format = '{bar} {percentage} % | {duration_formatted} | {doing}';
  const single = new cliProgress.SingleBar(
    { format, stream, fps: DRAWS_PER_SECOND, hideCursor: true, clearOnComplete: true, etaBuffer: 50 },
    cliProgress.Presets.shades_classic,
  );
  return {
    start: (total) => single.start(total, 0, { doing: 'starting' }),
    update: (done, doing) => single.update(done, { doing }),
    stop: () => single.stop(),
  };
}

function lines(stream: NodeJS.WriteStream): Progress {
  const begun = performance.now();
  let total = 1;
  let told = Number.NEGATIVE_INFINITY;
  return {
    start(count) {
      total = count;
    },
    update(done, doing) {
      const now = performance.now();
      if (now - told < LINE_EVERY_MS) return;
      told = now;
      const percent = Math.floor((100 * done) / total);
      stream.write(`${String(percent).padStart(3)} % after ${Math.round((now - begun) / 1000)} s: ${doing}\n`);
    },
    stop() {},
  };
}
