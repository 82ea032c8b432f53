import { capnweb } from './capnweb.ts';
import { capnwebHttp } from './capnweb-http.ts';
import { capnwebPlain } from './capnweb-plain.ts';
import { capnwebPort } from './capnweb-port.ts';
import { earlier } from './earlier.ts';
import { FEATURE_SUBJECTS } from './features.ts';
import { lumenize } from './lumenize.ts';
import { lumenizeAccept } from './lumenize-accept.ts';
import { lumenizeBatches } from './lumenize-batches.ts';
import { lumenizeHttp } from './lumenize-http.ts';
import { lumenizeNative } from './lumenize-native.ts';
import { lumenizePort } from './lumenize-port.ts';
import { native } from './native.ts';
import { raw } from './raw.ts';
import { rawAccept } from './raw-accept.ts';
import { rawOneFrame } from './raw-one-frame.ts';
import { rawPlain } from './raw-plain.ts';
import { rawPort } from './raw-port.ts';
import type { Subject, SubjectName } from './subject.ts';

/** Every subject by its name. */
export const SUBJECTS: Readonly<Record<SubjectName, Subject>> = {
  lumenize,
  'lumenize-accept': lumenizeAccept,
  'lumenize-batches': lumenizeBatches,
  'lumenize-http': lumenizeHttp,
  'lumenize-port': lumenizePort,
  'lumenize-native': lumenizeNative,
  capnweb,
  'capnweb-plain': capnwebPlain,
  'capnweb-http': capnwebHttp,
  'capnweb-port': capnwebPort,
  raw,
  'raw-accept': rawAccept,
  'raw-plain': rawPlain,
  'raw-one-frame': rawOneFrame,
  'raw-port': rawPort,
  native,
  earlier,
  ...FEATURE_SUBJECTS,
};
