import { CounterCapnWeb as CapnWeb } from '../../../../examples/counter/src/counter-capnweb.ts';
import { CounterLumenize as Lumenize } from '../../../../examples/counter/src/counter-lumenize.ts';
import { CounterLumenizeAccept as LumenizeAccept } from '../../../../examples/counter/src/counter-lumenize-accept.ts';
import { CounterRaw as Raw } from '../../../../examples/counter/src/counter-raw.ts';
import { CounterRawAccept as RawAccept } from '../../../../examples/counter/src/counter-raw-accept.ts';
import { noteLife } from './lives.ts';

// The counters of the example, each of whose lives is counted.

export class CounterLumenize extends Lumenize {
  protected readonly life = noteLife();
}

export class CounterLumenizeAccept extends LumenizeAccept {
  protected readonly life = noteLife();
}

export class CounterCapnWeb extends CapnWeb {
  protected readonly life = noteLife();
}

export class CounterRaw extends Raw {
  protected readonly life = noteLife();
}

export class CounterRawAccept extends RawAccept {
  protected readonly life = noteLife();
}
