import worker, { CounterApi, Counter as First } from './counter.ts';

/** Counts by ten. */
class NextApi extends CounterApi {
  override increment(by = 1): number {
    return super.increment(10 * by);
  }
}

/** What a deploy puts in the place of the counter. */
export class Counter extends First {
  override target(): CounterApi {
    return new NextApi((this as unknown as { ctx: ConstructorParameters<typeof CounterApi>[0] }).ctx);
  }
}

export default worker;
