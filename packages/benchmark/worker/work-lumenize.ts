import { RpcObject, RpcTarget, type TopicOptions } from '@lumenize/rpc/server';
import type { Message } from '../src/events/events.ts';
import type { KeyValues } from '../src/work/work.ts';
import { workOn } from '../src/work/work-target.ts';

const work = workOn(RpcTarget);

/** The methods that the platform's own RPC calls on the object itself. */
interface Methods {
  increment(by?: number): number;
  getValue(): number;
  reset(): void;
  echo(value: unknown): unknown;
}

/** The work served by Lumenize RPC as it ships; its methods of the same names are for the platform's RPC. */
export class WorkLumenize extends RpcObject {
  readonly #events = this.topic<Message>('events', this.topicOptions());
  readonly #work = work(this.ctx.storage.kv as KeyValues) as Methods;

  override target(): RpcTarget {
    return work(this.ctx.storage.kv as KeyValues, this.#events) as RpcTarget;
  }

  /** How the topic keeps its events. */
  protected topicOptions(): TopicOptions {
    return {};
  }

  increment(by?: number): number {
    return this.#work.increment(by);
  }

  getValue(): number {
    return this.#work.getValue();
  }

  reset(): void {
    this.#work.reset();
  }

  echo(value: unknown): unknown {
    return this.#work.echo(value);
  }
}

/** The same with hibernation off, the socket kind that Cap'n Web uses. */
export class WorkLumenizeAccept extends WorkLumenize {
  override rpcOptions(): { hibernate: false } {
    return { hibernate: false };
  }
}

/** The same with a topic that stores a row for a hundred events, or each second's. */
export class WorkLumenizeBatches extends WorkLumenize {
  protected override topicOptions(): TopicOptions {
    return { persist: {} };
  }
}
