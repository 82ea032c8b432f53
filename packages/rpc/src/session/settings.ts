import type { DecodeOptions } from '@lumenize/structured-clone';
import { resolveLimits, type Writing } from '@lumenize/structured-clone/messages';
import { createFrameReader, type FrameReader } from '../protocol/frame-reader.ts';
import type { Decoding } from '../protocol/message.ts';
import type { RecordingReader } from '../protocol/recording.ts';
import type { Pending } from '../protocol/result-frame.ts';
import type { Bounds, Effort } from './admission.ts';
import { type Extension, type ExtensionTables, tablesOf } from './extension.ts';
import type { RunningCall } from './incoming/call-context.ts';
import type { Turns } from './incoming/turns.ts';
import type { RpcLimits } from './limits.ts';

/** Settings by which a session reads and writes frames. Sessions that are served the same way share it. */
export interface SessionSettings {
  /** Side of the connection: clients mostly send calls, servers mostly results. */
  readonly side: 'client' | 'server';
  readonly limits: Readonly<RpcLimits>;
  /** Limits and refusals for frames that arrive. */
  readonly decoding: Decoding;
  /** Runs recorded callbacks; undefined if they are not taken, so that a page stays small. */
  readonly recordings: RecordingSupport | undefined;
  /** The rows of the extensions that it has. */
  readonly tables: ExtensionTables;
  readonly read: FrameReader;
  /** True if results tell where errors were thrown. */
  readonly errorStacks: boolean;
  /** Options for writing frames. */
  readonly writing: Pick<Writing, 'types' | 'locate' | 'limits'>;
}

/** Support for running recorded callbacks. */
export interface RecordingSupport {
  readonly reader: RecordingReader;
  /** Calls a method with arguments that begin with a recording. */
  map(receiver: unknown, method: string | undefined, args: unknown[], call: RunningCall, performer: Performer): Pending;
}

/** Run of a frame that operations are performed for. */
export interface Performer extends Effort {
  /** Undefined where what waits goes on as soon as it can. */
  readonly turns: Turns | undefined;
  readonly session: {
    readonly settings: SessionSettings;
    /** Bounds what it may come to; undefined where the other side is no stranger. */
    readonly bounds: Bounds | undefined;
    /** Reports what a method threw where the call itself succeeds. */
    onError(error: unknown, method: string, call: RunningCall): void;
  };
}

/** Options that the settings of a session depend on. */
export interface SessionSettingsOptions {
  extensions: readonly Extension[] | undefined;
  recordings?: RecordingSupport;
  side: 'client' | 'server';
  limits: Readonly<RpcLimits>;
  refuse: DecodeOptions['refuse'];
  errorStacks: boolean;
}

/** Largest number of bytes that a frame takes beside its entries. */
const HEAD_BYTES = 32;

/** From a server that it has chosen itself, a client takes so many times as many objects. */
const TRUST = 4;

/** Makes the settings of sessions. */
export function sessionSettings({
  side,
  limits,
  refuse,
  errorStacks,
  recordings,
  extensions = [],
}: SessionSettingsOptions): SessionSettings {
  const maxObjects = side === 'server' ? limits.maxObjects : TRUST * limits.maxObjects;
  const tables = tablesOf(extensions);
  const { answer, locate, split, types } = tables;
  const maxBytes = split ? limits.maxMessageBytes : Math.min(limits.maxMessageBytes, limits.maxFrameBytes - HEAD_BYTES);
  const writing = { types, locate, limits: resolveLimits({ maxBytes }) };
  const decoding: Decoding = { types, limits: { maxObjects }, ...(refuse && { refuse }) };
  return {
    side,
    limits,
    decoding,
    recordings,
    errorStacks,
    tables,
    read: createFrameReader(
      decoding,
      answer?.createReader(decoding, limits.maxOperationsPerFrame, recordings?.reader),
      tables.frames,
    ),
    writing,
  };
}
