import type { Profile } from '../blocks/profiles.ts';
import type { BlockFindings } from '../blocks/record.ts';
import { runBlocks } from '../blocks/run-blocks.ts';
import type { HostName } from '../hosts/host.ts';
import { blocksEntry } from '../log/blocks-entry.ts';
import type { Family, FamilyContext } from './family.ts';

/** What makes a family of scenarios that are measured in blocks. */
export interface BlocksFamily {
  readonly name: string;
  readonly about: string;
  readonly subjects: readonly string[];
  readonly hosts: readonly HostName[];
  /** What is called, a line each. */
  readonly configuration: readonly string[];
  /** What is measured. Throws where a wanted subject or host is not among the family's own. */
  profile(context: FamilyContext): Profile;
}

/** Makes a family of scenarios and arms that are measured in launches, rounds and blocks. */
export function blocksFamily({ configuration, profile, ...family }: BlocksFamily): Family<BlockFindings> {
  return {
    ...family,
    measure: (context) => runBlocks(profile(context), context.seed, context.progress),
    entry: (findings) => blocksEntry(findings, configuration),
  };
}
