// cli-progress ships no types: these are the parts in use.
declare module 'cli-progress' {
  interface Options {
    format?: string;
    stream?: NodeJS.WritableStream;
    fps?: number;
    hideCursor?: boolean;
    clearOnComplete?: boolean;
    etaBuffer?: number;
  }
  interface Preset {
    readonly barCompleteChar: string;
    readonly barIncompleteChar: string;
    readonly format: string;
  }
  class SingleBar {
    constructor(options: Options, preset?: Preset);
    start(total: number, startValue: number, payload?: object): void;
    update(current: number, payload?: object): void;
    stop(): void;
  }
  const cliProgress: { readonly SingleBar: typeof SingleBar; readonly Presets: { readonly shades_classic: Preset } };
  export default cliProgress;
}
