import { RpcObject, RpcTarget, type Subscription } from '@lumenize/rpc/server';

export class TargetWithoutSql extends RpcTarget {
  static readonly rpc = { addOnce: { exactlyOnce: true } };
  readonly #object: ObjectWithoutSql;
  constructor(object: ObjectWithoutSql) {
    super();
    this.#object = object;
  }
  add(by: number): Promise<number> {
    return this.#object.add(by);
  }
  addOnce(by: number): number {
    return by;
  }
  events(): Subscription<number> {
    return this.#object.events.subscribe();
  }
}

/** An object of a class that was made before there was SQLite, which keeps its storage for good. */
export class ObjectWithoutSql extends RpcObject {
  readonly events = this.topic<number>('events');
  override target(): TargetWithoutSql {
    return new TargetWithoutSql(this);
  }
  async add(by: number): Promise<number> {
    const value = ((await this.ctx.storage.get<number>('value')) ?? 0) + by;
    await this.ctx.storage.put('value', value);
    return value;
  }
}
