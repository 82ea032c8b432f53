import { type Ask, methodName, wayName } from '../programs/keys.ts';
import type { CallSpec, Program } from '../programs/program.ts';
import type { World } from '../world.ts';
import type { AnyStub, ProgramClient } from './client.ts';
import { type CallRecord, type History, type SubscriptionRecord, toldOf } from './history.ts';
import { passed } from './passed.ts';
import { use } from './used.ts';

/** Makes the calls of programs, and records their outcomes. */
export class CallMaker {
  readonly #world: World;
  readonly #program: Program;
  readonly #history: History;
  /** The calls that have not ended yet. */
  readonly pending = new Map<Promise<void>, CallRecord>();

  constructor(world: World, program: Program, history: History) {
    this.#world = world;
    this.#program = program;
    this.#history = history;
  }

  /** Makes calls in one turn. */
  turn(client: ProgramClient, specs: readonly CallSpec[]): void {
    let previous: { record: CallRecord; result: AnyStub } | undefined;
    for (const spec of specs) {
      const begun = this.#begin(client, spec, previous);
      previous = begun.result === undefined ? undefined : begun;
    }
  }

  /** Stops waiting for the calls of a client that has forgotten everything. */
  forget({ number }: ProgramClient): void {
    for (const [pending, record] of this.pending) {
      if (record.life.client !== number) continue;
      record.isForgotten = true;
      this.pending.delete(pending);
    }
  }

  #begin(client: ProgramClient, spec: CallSpec, previous: { record: CallRecord; result: AnyStub } | undefined) {
    const { methods, ways } = this.#program.target;
    const place = spec.method % methods.length;
    const method = methods[place];
    const wayNumbers = ways.length === 0 ? [] : spec.ways.map((way) => way % ways.length);
    const direct = wayNumbers.length === 0 || spec.how === 'chained';
    const uses =
      spec.usesPrevious && method.takes === 'value' && direct && previous?.record.method.returns === 'number';
    const { calls } = this.#history;
    const record: CallRecord = {
      key: `c${calls.length}`,
      life: client.life,
      spec: { ...spec, ways: wayNumbers },
      method,
      name: methodName(place),
      made: calls.length,
      who: client.who,
      at: this.#world.now(),
      uses: uses ? previous!.record : undefined,
      direct,
      items: [],
      callbacks: [],
    };
    calls.push(record);
    const argument = uses ? previous!.result : passed(this.#world, client, record);
    const { options, begin } = this.#limited(spec);
    let result: AnyStub;
    let steps: AnyStub[] = [];
    let whole: Promise<void>;
    if (direct) {
      const limited = options === undefined ? client.stub : this.#world.library.withOptions(client.stub, options);
      const chain = this.#chain(limited, wayNumbers);
      steps = chain.steps;
      result = this.#apply(client, record, chain.target, argument);
      whole = this.#outcome(client, record, result, steps);
    } else whole = this.#byAwaiting(client, record, argument, options);
    begin();
    const pending = whole.then(() => void this.pending.delete(pending));
    this.pending.set(pending, record);
    return { record, result };
  }

  /** Gets the target of the method first, and then calls the method. */
  async #byAwaiting(
    client: ProgramClient,
    record: CallRecord,
    argument: unknown,
    options: object | undefined,
  ): Promise<void> {
    const { ways, how } = record.spec;
    const name = ways.join();
    const kept = how === 'kept' ? client.kept.get(name) : undefined;
    let target = kept?.stub;
    if (kept !== undefined) record.keptBy = kept.who;
    record.onItsWay = true;
    const held: AnyStub[] = [];
    try {
      if (target === undefined) {
        const { steps, target: last } = this.#chain(client.stub, ways);
        held.push(...steps.slice(0, -1));
        target = await last;
        if (how === 'kept' && client.life === record.life && !client.kept.has(name))
          client.kept.set(name, { stub: target, who: record.who });
        else held.push(target);
      }
    } catch (error) {
      record.ok = false;
      record.told = toldOf(error);
      record.settledAt = this.#world.now();
      for (const stub of held) stub[Symbol.dispose]();
      return;
    }
    record.onItsWay = false;
    const limited = options === undefined ? target : this.#world.library.withOptions(target, options);
    await this.#outcome(client, record, this.#apply(client, record, limited, argument), held);
    // A kept stub that was lost has to be obtained again.
    if (kept !== undefined && !record.ok && client.kept.get(name) === kept) {
      client.kept.delete(name);
      target[Symbol.dispose]();
    }
  }

  #chain(from: AnyStub, ways: readonly number[]): { target: AnyStub; steps: AnyStub[] } {
    const steps: AnyStub[] = [];
    let target = from;
    for (const way of ways) {
      const member = target[wayName(way)];
      target = this.#program.target.ways[way].isGetter ? member : member();
      steps.push(target);
    }
    return { target, steps };
  }

  #apply(client: ProgramClient, record: CallRecord, target: AnyStub, argument: unknown): AnyStub {
    const { spec, method, name } = record;
    const { limit, weight } = spec;
    const ask: Ask = {
      count: spec.count,
      ...(spec.refuse && { refuse: spec.refuse }),
      ...(limit && { givesUpAfter: 'abortMs' in limit ? limit.abortMs : limit.timeoutMs }),
      ...(weight && { weight: 'x'.repeat(weight * 1024) }),
    };
    const more = spec.refuse === 'arguments' ? [0] : [];
    if (method.returns === 'subscription') {
      const topic = spec.extra % this.#program.target.topics.length;
      const since = spec.extra < 6 ? 0 : undefined;
      record.subscription = { topic, since, items: [], isOpen: false } satisfies SubscriptionRecord;
      return target[name](record.key, { ...ask, topic, since }, argument, ...more);
    }
    const result = target[name](record.key, ask, argument, ...more);
    const { methods } = this.#program.target;
    if (method.returns !== 'list' || spec.mapped === undefined) return result;
    const place = spec.mapped % methods.length;
    const inner = methods[place];
    if (inner.takes !== 'value' || inner.returns !== 'number' || inner.does === 'counter' || inner.ends) return result;
    record.mapped = { name: methodName(place), method: inner };
    return result.map((item: unknown) => client.stub[methodName(place)](`${record.key}*`, { count: 0 }, item));
  }

  async #outcome(client: ProgramClient, record: CallRecord, result: AnyStub, steps: readonly AnyStub[]): Promise<void> {
    try {
      const value = await result;
      record.ok = true;
      record.settledAt = this.#world.now();
      await use(this.#world, client, record, value);
    } catch (error) {
      record.ok = false;
      record.told = toldOf(error);
      record.settledAt = this.#world.now();
    }
    for (const step of steps) step[Symbol.dispose]();
  }

  /** Prepares the limits of a call. `begin` must be called when the call has been made. */
  #limited({ limit }: CallSpec): { options: object | undefined; begin: () => void } {
    if (limit === undefined) return { options: undefined, begin: () => {} };
    if ('timeoutMs' in limit) return { options: limit, begin: () => {} };
    const controller = new AbortController();
    const abort = () => controller.abort('by the program');
    if (limit.abortMs < 0) abort();
    return {
      options: { signal: controller.signal },
      begin: () => void (limit.abortMs >= 0 && this.#world.sleep(limit.abortMs).then(abort)),
    };
  }
}
