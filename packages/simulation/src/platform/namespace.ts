import { hashText } from '../scheduler/random.ts';
import { requireRealm } from '../scheduler/realm.ts';
import { sections } from '../scheduler/timers.ts';
import { SimulatedRequest } from './http.ts';
import { type ObjectConditions, SimulatedObject } from './simulated-object.ts';

/** The id of an object. */
class ObjectId {
  readonly name: string | undefined;
  readonly #digits: string;

  constructor(digits: string, name?: string) {
    this.#digits = digits;
    this.name = name;
  }

  toString(): string {
    return this.#digits;
  }

  equals(other: ObjectId): boolean {
    return other.#digits === this.#digits;
  }
}

/** The platform's stub of an object, as Workers have it. */
class ObjectStub {
  readonly id: ObjectId;
  readonly name: string | undefined;
  readonly #object: SimulatedObject;

  constructor(id: ObjectId, object: SimulatedObject) {
    this.id = id;
    this.name = id.name;
    this.#object = object;
  }

  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    // An object is not told when the sender of a request is gone.
    const request = new SimulatedRequest(input, { ...init, signal: null });
    const realm = requireRealm('fetch() of a stub');
    const section = sections.getStore();
    const { random } = realm.scheduler;
    const hop = (job: () => void) =>
      realm.after(random.between(`hop ${realm.name}`, 0, realm.hopMs), 'hop', () => realm.admit(job, section));
    return new Promise((resolve, reject) => {
      hop(() => {
        this.#object.fetch(request).then(
          (response) => hop(() => resolve(response)),
          (error) => hop(() => reject(error)),
        );
      });
    });
  }
}

/** The objects of one class. A Worker finds it in its `env`. */
export class Namespace {
  readonly #binding: string;
  readonly #conditions: ObjectConditions;
  readonly #objects = new Map<string, SimulatedObject>();
  #unique = 0;

  constructor(binding: string, conditions: ObjectConditions) {
    this.#binding = binding;
    this.#conditions = conditions;
  }

  idFromName(name: string): ObjectId {
    return new ObjectId(digitsOf(`${this.#binding} ${name}`), name);
  }

  idFromString(digits: string): ObjectId {
    if (!/^[0-9a-f]{64}$/.test(digits)) throw new TypeError('Invalid Durable Object ID: must be 64 hex digits');
    return new ObjectId(digits);
  }

  newUniqueId(): ObjectId {
    return new ObjectId(digitsOf(`${this.#binding} unique ${this.#unique++}`));
  }

  get(id: ObjectId): ObjectStub {
    return new ObjectStub(id, this.#objectOf(id));
  }

  getByName(name: string): ObjectStub {
    return this.get(this.idFromName(name));
  }

  /** The objects, for the world. */
  get objects(): Iterable<SimulatedObject> {
    return this.#objects.values();
  }

  #objectOf(id: ObjectId): SimulatedObject {
    const digits = String(id);
    let object = this.#objects.get(digits);
    if (object === undefined) {
      const name = `${this.#binding}/${id.name ?? digits.slice(0, 8)}`;
      object = new SimulatedObject(name, id, this.#conditions);
      this.#objects.set(digits, object);
    }
    return object;
  }
}

function digitsOf(text: string): string {
  return Array.from({ length: 8 }, (_, at) => (hashText(text, at) >>> 0).toString(16).padStart(8, '0')).join('');
}
