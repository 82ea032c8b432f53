import { RpcObject, RpcTarget } from '@lumenize/rpc/server';
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
  readonly #work = work(this.ctx.storage.kv as KeyValues) as Methods;

  override target(): RpcTarget {
    return work(this.ctx.storage.kv as KeyValues) as RpcTarget;
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
