import { capnweb } from './capnweb.ts';
import { lumenize } from './lumenize.ts';
import { lumenizeAccept } from './lumenize-accept.ts';
import { raw } from './raw.ts';
import { rawAccept } from './raw-accept.ts';
import { rawOneFrame } from './raw-one-frame.ts';
import type { Subject, SubjectName } from './subject.ts';

/** Every subject by its name. */
export const SUBJECTS: Readonly<Record<SubjectName, Subject>> = {
  lumenize,
  'lumenize-accept': lumenizeAccept,
  capnweb,
  raw,
  'raw-accept': rawAccept,
  'raw-one-frame': rawOneFrame,
};
