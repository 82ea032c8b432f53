import type { DecodeOptions } from '@lumenize/structured-clone';
import { resolveLimits, type Writing } from '@lumenize/structured-clone/messages';
import type { LocateError } from '../protocol/call-reader.ts';
import { createFrameReader, type FrameReader } from '../protocol/frame-reader.ts';
import type { Decoding } from '../protocol/message.ts';
import type { RecordingReader } from '../protocol/recording.ts';
import type { Pending } from '../protocol/result-frame.ts';
import type { Bounds, Effort, Waiting } from './admission.ts';
import { type Extension, type ExtensionTables, tablesOf } from './extension.ts';
import type { RunningCall } from './incoming/call-context.ts';
import type { Turns } from './incoming/turns.ts';
import { ownOptions, type RpcLimits } from './limits.ts';

/**
 * Settings for reading and writing the frames of a session. Sessions that are served in the same way share one object.
 */
export interface SessionSettings {
  /** The side of the connection: clients mostly send calls, servers mostly send results. */
  readonly side: 'client' | 'server';
  readonly limits: Readonly<RpcLimits>;
  /** Limits and refusals for frames that arrive. */
  readonly decoding: Decoding;
  /** Runs recorded callbacks. Undefined if they are not accepted, which keeps the code of a page small. */
  readonly recordings?: RecordingSupport;
  /** The rows of the session's extensions. */
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
  /** Calls a method whose first argument is a recording. */
  map(receiver: unknown, method: string | undefined, args: unknown[], call: RunningCall, performer: Performer): Pending;
}

/** The run of a frame, as its operations see it. */
export interface Performer extends Effort {
  /** The queue in which work takes turns; undefined if waiting work continues as soon as it can. */
  readonly turns: Turns | undefined;
  readonly incoming: { readonly waiting: Waiting; begins(callId: number): void };
  readonly session: {
    readonly settings: SessionSettings;
    /** Limits on the work that the run may cause; undefined if the peer is trusted. */
    readonly bounds: Bounds | undefined;
    /** Reports an error that a method threw although the call itself succeeds. */
    onError(error: unknown, method: string, call: RunningCall): void;
  };
}

/** Options from which the settings of a session are made. */
export interface SessionSettingsOptions
  extends Pick<SessionSettings, 'side' | 'limits' | 'errorStacks' | 'recordings'>,
    Pick<DecodeOptions, 'refuse'> {
  extensions: readonly Extension[];
  /** Completes the errors for calls that cannot be read. */
  locateError?: LocateError;
}

/** The largest number of bytes that a frame takes besides its entries. */
const HEAD_BYTES = 32;

/** A client accepts this many times `maxObjects` from its server, because the client chose the server itself. */
const TRUST = 4;

/** Creates the settings of sessions. */
export function sessionSettings(options: SessionSettingsOptions): SessionSettings {
  const { extensions, locateError, refuse, ...kept } = ownOptions(options);
  const { limits, recordings, side } = kept;
  const maxObjects = side === 'server' ? limits.maxObjects : TRUST * limits.maxObjects;
  const tables = tablesOf(extensions);
  const { answer, locate, split, types } = tables;
  const maxBytes = split
    ? limits.maxMessageBytes
    : Math.min(limits.maxMessageBytes, Math.max(0, limits.maxFrameBytes - HEAD_BYTES));
  const writing = { types, locate, limits: resolveLimits({ maxBytes }) };
  const decoding = ownOptions<Decoding>({ types, limits: { maxObjects }, ...(refuse && { refuse }) });
  const readCalls = answer?.createReader(
    decoding,
    limits.maxOperationsPerFrame,
    recordings?.reader,
    undefined,
    locateError,
  );
  return { ...kept, decoding, tables, read: createFrameReader(decoding, readCalls, tables.frames), writing };
}
