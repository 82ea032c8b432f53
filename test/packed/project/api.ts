import type { Subscription } from '@lumenize/rpc';

/** What clients know of the counter: they need no types of the Workers runtime. */
export interface CounterApi {
  increment(by?: number): number;
  owner(): { name: string; since: Date; badges: Map<string, bigint> };
  people(): { name: string }[];
  each(values: number[], callback: (value: number) => number | Promise<number>): Promise<number[]>;
  countDown(from: number): AsyncIterable<number>;
  changes(): Subscription<number>;
  caller(): string;
  refuse(): void;
}
