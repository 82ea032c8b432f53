import type { World } from '../world.ts';
import type { ProgramClient } from './client.ts';
import type { CallRecord, Life } from './history.ts';

/** Returns the argument that a call passes besides its key, and records what the server does with it. */
export function passed(world: World, client: ProgramClient, record: CallRecord): unknown {
  const { spec, method } = record;
  switch (method.takes) {
    case 'value':
      return spec.extra;
    case 'callback':
      return (key: string, place: number) => {
        if (key !== record.key) client.life.wrong.push(`the callback of ${record.key} was called for ${key}`);
        record.callbacks.push(place);
        return place * 2;
      };
    case 'target':
      return new (notedTarget(world))(record, client);
    case 'iterable':
      return produce(client.life, spec.count);
    case 'stream':
      return streamOf(client.life, spec.count);
    case 'signal': {
      const controller = new AbortController();
      void world.sleep(spec.extra * 10).then(() => controller.abort());
      return controller.signal;
    }
    default:
      return method.takes satisfies never;
  }
}

const classes = new WeakMap<World['library'], new (record: CallRecord, client: ProgramClient) => object>();

/** Returns a class of targets for the server to call. */
function notedTarget({ library }: World) {
  let made = classes.get(library);
  if (made === undefined) {
    made = class extends library.RpcTarget {
      readonly #record: CallRecord;
      readonly #client: ProgramClient;
      constructor(record: CallRecord, client: ProgramClient) {
        super();
        this.#record = record;
        this.#client = client;
      }
      note(key: string, place: number): number {
        if (key !== this.#record.key)
          this.#client.life.wrong.push(`a target of ${this.#record.key} was called for ${key}`);
        return this.#record.callbacks.push(place);
      }
      get size(): number {
        return this.#record.callbacks.length;
      }
    };
    classes.set(library, made);
  }
  return made;
}

async function* produce(life: Life, count: number): AsyncGenerator<number> {
  life.producers++;
  try {
    for (let place = 0; place < count; place++) yield place;
  } finally {
    life.producers--;
  }
}

function streamOf(life: Life, count: number): ReadableStream<number> {
  let place = 0;
  return new ReadableStream<number>(
    {
      pull(controller) {
        if (place === 0) life.producers++;
        if (place < count) return controller.enqueue(place++);
        life.producers--;
        controller.close();
      },
      cancel() {
        if (place > 0) life.producers--;
      },
    },
    { highWaterMark: 0 },
  );
}
