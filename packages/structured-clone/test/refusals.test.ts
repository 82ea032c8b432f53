import { CloneError, encode, register } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import * as module from './attempt.ts';
import { attempt } from './attempt.ts';
import { FORMS } from './forms.ts';
import { memoryTaken } from './memory.ts';

class Point {
  x = 1;
}

class Impostor {
  get [Symbol.toStringTag](): string {
    return 'Error';
  }
}

class Later extends Promise<unknown> {}

class Pages {
  async *[Symbol.asyncIterator](): AsyncGenerator<number> {
    yield 1;
  }
}

class Wrapper {
  readonly #wrapped: unknown;
  constructor(wrapped: unknown) {
    this.#wrapped = wrapped;
  }
  static encode(wrapper: Wrapper): unknown {
    return [wrapper.#wrapped];
  }
}
register(Wrapper, {
  name: 'Wrapper of refusals.test',
  encode: Wrapper.encode,
  decode: () => new Wrapper(0),
});

function detached<View extends ArrayBufferView>(view: View): View {
  structuredClone(view.buffer, { transfer: [view.buffer as ArrayBuffer] });
  return view;
}

function twoViews(): unknown {
  const memory = new SharedArrayBuffer(4);
  return [new Uint8Array(memory), new Int8Array(memory)];
}

function cutOff(view: new (buffer: ArrayBuffer, offset: number, length: number) => ArrayBufferView): ArrayBufferView {
  const buffer = new ArrayBuffer(8, { maxByteLength: 8 });
  const made = new view(buffer, 4, 4);
  buffer.resize(6);
  return made;
}

function withFile(): FormData {
  const form = new FormData();
  form.append('name', 'notes');
  form.append('file', new File(['x'], 'notes.txt'));
  return form;
}

const BESIDE = 'pass them beside it, or register its class';
const REGISTER = 'register the class, or pass a plain object';
const UNREAL = 'pass a real one: this is a Proxy, of a library, detached or cut off';
const YIELDED = 'pass an array of what they yield';
const CLASS = 'at value: instances of';

/** The value, what is said of it and where, and what to do instead. */
const REFUSED: readonly [name: string, value: unknown, what: string, advice: string][] = [
  ['a symbol', Symbol('x'), 'at value: symbols', 'pass a string'],
  ['a symbol in an object', Object(Symbol('x')), `${CLASS} Symbol`, REGISTER],
  ['a function', () => 1, 'at value: functions', 'pass what they return'],
  ['an async function', async () => 1, 'at value: functions', 'pass what they return'],
  ['a generator function', function* () {}, 'at value: functions', 'pass what they return'],
  ['a class', Point, 'at value: functions', 'pass what they return'],
  ['an instance of an unknown class', new Point(), `${CLASS} Point`, REGISTER],
  ['an instance of a class without a name', new (class {})(), `${CLASS} unnamed classes`, REGISTER],
  ['an instance that says it is an error', new Impostor(), `${CLASS} Impostor`, REGISTER],
  ['what inherits from data', Object.create({ x: 1 }), `${CLASS} Object`, REGISTER],
  ['a generator', (function* () {})(), 'at value: iterators and streams', YIELDED],
  ['an iterator of an array', [1].values(), 'at value: iterators and streams', YIELDED],
  ['an iterator of a Map', new Map().entries(), 'at value: iterators and streams', YIELDED],
  ['an async generator', (async function* () {})(), 'at value: iterators and streams', YIELDED],
  ['an async iterable', new Pages(), 'at value: iterators and streams', YIELDED],
  ['a stream', new ReadableStream(), 'at value: iterators and streams', YIELDED],
  ['a Promise', Promise.resolve(), `${CLASS} Promise`, 'await them first'],
  ['a Promise of a subclass', new Later(() => {}), `${CLASS} Later`, 'await them first'],
  ['a WeakMap', new WeakMap(), `${CLASS} WeakMap`, REGISTER],
  ['shared memory', new SharedArrayBuffer(1), `${CLASS} SharedArrayBuffer`, REGISTER],
  ['a formatter', new Intl.NumberFormat('en'), `${CLASS} NumberFormat`, REGISTER],
  ['a Proxy of a Map', new Proxy(new Map(), {}), `${CLASS} Map`, UNREAL],
  ['a Proxy of a Date', new Proxy(new Date(), {}), `${CLASS} Date`, UNREAL],
  ['what inherits from a URL', Object.create(new URL('http://a/')), `${CLASS} URL`, UNREAL],
  ['a module whose exports are no data', module, 'at value.attempt: functions', 'pass what they return'],
  ['named properties', Object.assign(new Map(), { x: 1 }), `at value: named properties of instances of Map`, BESIDE],
  ['a property called length', Object.assign(new Date(), { length: 1 }), `at value: named properties of`, BESIDE],
  ['a view of a detached buffer', detached(new Uint8Array(4)), `${CLASS} Uint8Array`, UNREAL],
  ['a detached buffer', [detached(new Uint8Array(4)).buffer], 'at value[0]: instances of ArrayBuffer', UNREAL],
  ['a DataView of one', detached(new DataView(new ArrayBuffer(4))), `${CLASS} DataView`, UNREAL],
  ['two views of shared memory', twoViews(), 'at value[1].buffer: instances of SharedArrayBuffer', REGISTER],
  ['a view that its buffer is too short for', cutOff(Uint8Array), `${CLASS} Uint8Array`, UNREAL],
  ['a DataView that its buffer is too short for', cutOff(DataView), `${CLASS} DataView`, UNREAL],
  ['an error that is no answer', Response.error(), 'at value: responses of status 0', ''],
  ['a buffer that may become huge', new ArrayBuffer(1, { maxByteLength: 2 ** 31 }), 'at value: buffers that may', ''],
  [
    'an index that is an object',
    { at: [Object.assign(/x/, { lastIndex: {} })] },
    'at value.at[0]: lastIndex of instances of RegExp that is no primitive',
    '',
  ],
  ['an index that is a function', Object.assign(/x/, { lastIndex: () => 1 }), 'at value: lastIndex of', ''],
  [
    'a symbol deep inside',
    { users: [0, 1, 2, { token: Symbol('x') }] },
    'at value.users[3].token: symbols',
    'pass a string',
  ],
  ['a function under an odd key', { 'a b': { '0': () => 1 } }, 'at value["a b"][0]: functions', ''],
  ['a symbol in a Map', new Map([['k', [Symbol('x')]]]), 'at value.values()[0][0]: symbols', ''],
  ['a function as a key', new Map([[() => 1, 1]]), 'at value.keys()[0]: functions', ''],
  ['a function in a Set', [new Set([1, () => 1])], 'at value[0].values()[1]: functions', ''],
  ['a cause', new Error('x', { cause: Symbol('x') }), 'at value.cause: symbols', ''],
  [
    'a message',
    [Object.assign(new Error('x'), { message: Symbol('x') })],
    'at value[0].message: symbols',
    'pass a string',
  ],
  ['a file of a form', { form: withFile() }, 'at value.form.values()[1]: instances of File that readBodies', ''],
  ['what a registered class encodes', { on: new Wrapper(Symbol('x')) }, 'at value.on.encode()[0]: symbols', ''],
];

describe.each(FORMS)('as $name', (form) => {
  test.each(REFUSED)('%s is refused, and the error says where and what to do', (_name, value, what, advice) => {
    const error = attempt(() => form.write(value));
    expect(error).toBeInstanceOf(CloneError);
    expect(error).toMatchObject({ code: 'NOT_CLONEABLE', message: expect.stringMatching(/ cannot be cloned(: |$)/) });
    expect((error as Error).message.startsWith(what)).toBe(true);
    expect((error as Error).message.endsWith(advice && `: ${advice}`)).toBe(true);
  });

  test('what is refused beside bytes is found without looking through those', () => {
    const value = { bytes: new Uint8Array(5_000_000), token: Symbol('x') };
    expect(memoryTaken(() => form.write(value))).toBeLessThan(100_000_000);
    expect(() => form.write(value)).toThrow('at value.token: ');
  });

  test('properties are read once, also to say where the trouble is', () => {
    let asked = 0;
    const value = {
      get once() {
        if (asked++ > 0) throw new RangeError('mine');
        return 1;
      },
      token: Symbol('x'),
    };
    expect(attempt(() => form.write(value))).toMatchObject({ code: 'NOT_CLONEABLE', path: 'value.token' });
  });

  test('a stack that was set does not travel unless it may', () => {
    const error = Object.defineProperty(new Error('x'), 'stack', { value: 'at secret.ts:1', enumerable: true });
    expect((form.read(form.write(error)) as Error).stack).not.toContain('secret');
    expect((form.read(form.write(error, { errorStacks: true })) as Error).stack).toBe('at secret.ts:1');
  });

  test('types can be refused by the receiver', () => {
    const encoding = form.write([/x/]);
    expect(attempt(() => form.read(encoding, { refuse: ['RegExp'] }))).toMatchObject({
      code: 'NOT_CLONEABLE',
      message: expect.stringContaining('RegExp'),
    });
    expect(form.read(encoding)).toEqual([/x/]);
  });

  test('limits hold for the sender too', () => {
    let deep: unknown[] = [];
    for (let depth = 0; depth < 20_000; depth++) deep = [deep];
    expect(attempt(() => form.write(deep))).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('maxDepth'),
    });
    expect(attempt(() => form.write(new Array(1_000_000_000)))).toMatchObject({
      message: expect.stringContaining('maxObjects'),
    });
    expect(attempt(() => form.write(10n ** 10_000n))).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(form.read(form.write(1n - 10n ** 10_000n))).toBe(1n - 10n ** 10_000n);
    expect(attempt(() => form.write(2n ** 1_000_000n))).toMatchObject({
      message: expect.stringContaining('maxBigIntDigits'),
    });
  });

  test("a getter's own error passes through", () => {
    const value = {
      get broken(): never {
        throw new RangeError('mine');
      },
    };
    expect(attempt(() => form.write(value))).toEqual(new RangeError('mine'));
  });
});

test('an encoder is usable after a refusal, within another encoding too', () => {
  const value = {
    get inner() {
      return encode({ a: 1 });
    },
  };
  expect(attempt(() => encode([Symbol('x')]))).toBeInstanceOf(CloneError);
  expect(encode(value)).toEqual(encode({ inner: encode({ a: 1 }) }));
});

test('a refusal is found beside what has members without an end', () => {
  const endless = (): object =>
    new Proxy(() => {}, { get: (_target, key) => (key in Function.prototype ? undefined : endless()) });
  const extend = (value: object) => (typeof value === 'function' ? { name: 'one', parts: [] } : undefined);
  const value = { stub: endless(), users: [{ token: Symbol('secret') }] };
  expect(() => encode(value, { extend })).toThrow('at value.users[0].token: ');
});
