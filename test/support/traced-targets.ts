// Targets of objects that trace calls with OpenTelemetry's own SDK, and call each other.
import { connectBinding } from '@lumenize/rpc/binding';
import { observeCalls } from '@lumenize/rpc/observe';
import { traceCalls } from '@lumenize/rpc/opentelemetry';
import { RpcTarget } from '@lumenize/rpc/server';
import * as api from '@opentelemetry/api';
import { recordSpans, type SeenSpan } from './traced-spans.ts';

const takeSpans = recordSpans();
export const observe = observeCalls(traceCalls(api, { filter: ({ method }) => method !== 'takeSpans' }));

export class FrontTarget extends RpcTarget {
  readonly #other: object;

  /** `other` is the platform's stub of an object with a `BackTarget`. */
  constructor(other: object) {
    super();
    this.#other = other;
  }

  /** Asks the other object, at once and after an `await`. */
  async total(): Promise<number> {
    using back = connectBinding<BackTarget>(this.#other, { observe });
    const first = await back.add(1);
    await Promise.resolve();
    return first + (await back.add(2));
  }

  /** What has ended in this process so far. */
  takeSpans(): SeenSpan[] {
    return takeSpans();
  }
}

export class BackTarget extends RpcTarget {
  add(by: number): number {
    api.trace.getActiveSpan()?.addEvent(`added ${by}`);
    return by;
  }
}
