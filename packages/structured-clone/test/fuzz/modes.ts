import { CloneError, type DecodeOptions, type EncodeOptions, register } from '@lumenize/structured-clone';

/** What an extension becomes here. */
export class Revived {
  readonly name: string;
  readonly parts: unknown[];

  constructor(name: string, parts: unknown[]) {
    this.name = name;
    this.parts = parts;
  }
}

/** A class that travels by its own name, and checks what it is made of. */
export class Registered {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

register(Registered, {
  name: 'Registered',
  encode: ({ text }) => text,
  decode(payload) {
    if (typeof payload !== 'string') throw new CloneError('MALFORMED', 'it is no text');
    return new Registered(payload);
  },
});

/** A way to use the codec. */
export interface Mode {
  readonly decode: DecodeOptions | undefined;
  /** What encodes again whatever was decoded. */
  readonly encode: EncodeOptions | undefined;
  /** How many bytes the limits of the mode let a few bytes of input take: holes, mainly. */
  readonly allowance: number;
}

export type ModeName = 'defaults' | 'strangers';

export const MODES: Readonly<Record<ModeName, Mode>> = {
  defaults: { decode: undefined, encode: undefined, allowance: 2_000_000 },
  /** As a server reads calls. */
  strangers: {
    decode: {
      refuse: ['RegExp'],
      revive: (name, parts) => new Revived(name, parts),
      limits: { maxDepth: 100 },
    },
    encode: {
      extend: (value) => (value instanceof Revived ? value : undefined),
      limits: { maxDepth: 100 },
    },
    allowance: 100_000,
  },
};
