import { type Caller, callContext, type MethodOptions, RpcError, RpcTarget } from '@lumenize/rpc/server';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';

/** Who calls in these tests; nobody where there is no identity. */
export interface User {
  readonly name: string;
  readonly admin?: boolean;
}

const isAdmin = ({ identity }: Caller<User | undefined>) => identity?.admin === true;

const zodUser = z.object({ name: z.string().min(1), tags: z.array(z.string()).default([]) });
const valibotUser = v.object({ name: v.pipe(v.string(), v.minLength(1)), tags: v.optional(v.array(v.string()), []) });
const arktypeUser = type({ name: 'string > 0', tags: type('string[]').default(() => []) });

/** A target whose methods say who may call them and with what. It counts what has run. */
export class CheckedTarget extends RpcTarget {
  ran = 0;

  static readonly rpc = {
    secret: { guard: isAdmin },
    secretGetter: { guard: isAdmin },
    slowSecret: { guard: async (caller: Caller<User | undefined>) => isAdmin(caller) },
    ownOf: { guard: ({ identity }: Caller<User | undefined>, name: string) => identity?.name === name },
    truthy: { guard: (() => 'yes') as unknown as () => boolean },
    explains: {
      guard: () => {
        throw new RpcError('RATE_LIMITED', 'come back tomorrow', { data: { retryAfterMs: 86_400_000 } });
      },
    },
    defective: {
      guard: () => {
        throw new Error('a secret of the server');
      },
    },
    zodUser: { args: [zodUser] },
    valibotUser: { args: [valibotUser] },
    arktypeUser: { args: [arktypeUser] },
    slowly: { args: [z.string().refine(async (text) => text !== 'taken', 'is taken')] },
    pair: { args: z.tuple([z.string(), z.coerce.number()]) },
    callBack: { args: [z.custom<() => unknown>((value) => typeof value === 'function'), z.any()] },
    both: {
      args: [z.string().transform((text) => text.length)],
      guard: (_caller: Caller, length: number) => length < 5,
    },
    broken: {
      args: [
        z.any().transform(() => {
          throw new Error('a secret of the schema');
        }),
      ],
    },
    noList: { args: z.any().transform(() => 'no list') as unknown as z.ZodType<unknown[]> },
    child: { restorable: true },
    lateChild: { restorable: true },
    many: { args: [z.array(z.number())] },
  } satisfies Record<string, MethodOptions>;

  secret(): string {
    this.ran++;
    return 'the secret';
  }

  get secretGetter(): string {
    this.ran++;
    return 'the secret';
  }

  slowSecret(): string {
    this.ran++;
    return `the secret for ${callContext<User>().caller?.identity.name}`;
  }

  ownOf(name: string): string {
    this.ran++;
    return name;
  }

  truthy(): void {
    this.ran++;
  }

  explains(): void {
    this.ran++;
  }

  defective(): void {
    this.ran++;
  }

  zodUser(user: unknown): unknown {
    this.ran++;
    return user;
  }

  valibotUser(user: unknown): unknown {
    this.ran++;
    return user;
  }

  arktypeUser(user: unknown): unknown {
    this.ran++;
    return user;
  }

  slowly(text: string): string {
    this.ran++;
    return text;
  }

  pair(...pair: unknown[]): unknown[] {
    this.ran++;
    return pair;
  }

  async callBack(callback: (asked: string) => unknown, more: unknown): Promise<unknown> {
    this.ran++;
    return [await callback('who'), more];
  }

  both(length: number): number {
    this.ran++;
    return length;
  }

  broken(): void {
    this.ran++;
  }

  noList(): void {
    this.ran++;
  }

  many(numbers: number[]): number {
    this.ran++;
    return numbers.length;
  }

  open(): string {
    return 'open';
  }

  numbers(): number[] {
    return [1, 2];
  }

  child(): CheckedTarget {
    return new CheckedTarget();
  }

  async lateChild(): Promise<ReturnType<this['child']>> {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return this.child() as ReturnType<this['child']>;
  }

  /** Two levels, of which the first takes a job: what is read of it is read later. */
  later(): Promise<CheckedTarget> {
    return Promise.resolve(this);
  }

  unsendableData(): never {
    throw new RpcError('DENIED', 'with a symbol beside it', { data: { cause: Symbol('no') } });
  }

  sendableData(): never {
    throw new RpcError('DENIED', 'with details', { data: { until: new Date(0) } });
  }

  count(): number {
    return this.ran;
  }
}
