import type { CaseContext } from './context.ts';

/** What a transport, a runtime or a library may lack, so that cases which need it say nothing about it. */
export type Capability =
  | 'state' // all calls of a connection reach one target
  | 'frames' // frames can be counted
  | 'references' // targets, functions and promises by reference, while the connection lasts
  | 'callbacks' // calls from the server to the client
  | 'channels' // streams and signals
  | 'largeValues' // values above the limit of a frame
  | 'statistics' // what the client's side of the connection counts
  | 'serverStatistics' // what the server's side of the connection counts
  | 'journal' // targets of several connections share their module
  | 'caller' // connections have an identity
  | 'collections' // map() is for collections only
  | 'garbageCollection'; // garbage can be collected when a test wants it

/** Something that holds over every transport that has what it needs. */
export interface Case {
  readonly part: string;
  /** States behaviour; unique in its part. */
  readonly name: string;
  readonly needs: readonly Capability[];
  /** Throws where the case does not hold. */
  readonly run: (context: CaseContext) => unknown;
}

/** A case as written down in its part's file. */
export interface CaseDraft {
  name: string;
  needs?: readonly Capability[];
  run: (context: CaseContext) => unknown;
}

/** Makes the cases of a part; what `needs` lists, each of them needs. */
export function part(name: string, drafts: readonly CaseDraft[], needs: readonly Capability[] = []): readonly Case[] {
  return drafts.map((draft) => ({
    part: name,
    name: draft.name,
    needs: [...needs, ...(draft.needs ?? [])],
    run: draft.run,
  }));
}
