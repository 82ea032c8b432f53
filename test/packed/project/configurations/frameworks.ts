// What a page with a framework has.

import * as react from '@lumenize/react';
import type { Subscription } from '@lumenize/rpc';
import * as solid from '@lumenize/solid';
import * as svelte from '@lumenize/svelte';
import { rpcMutation, rpcQuery } from '@lumenize/tanstack-query';
import * as vue from '@lumenize/vue';

interface Api {
  add(by: number): number;
  changes(): Subscription<number>;
}

type IsAny<T> = 0 extends 1 & T ? true : false;

function none<T>(..._isAny: IsAny<T> extends true ? [never] : []): void {}

export function use(): void {
  const stub = react.useRpc<Api>('/rpc/x/main');
  none<typeof stub>();
  none<ReturnType<typeof vue.useRpc<Api>>>();
  none<ReturnType<typeof svelte.useRpc<Api>>>();
  none<ReturnType<typeof solid.useRpc<Api>>>();
  const view = react.useSubscription(stub, 'x', (each) => each.changes());
  none<typeof view>();
  none<typeof view.items>();
  const query = rpcQuery(stub.add)(5);
  none<typeof query.queryKey>();
  none<Awaited<ReturnType<typeof query.queryFn>>>();
  const mutation = rpcMutation(stub.add);
  void mutation.mutationFn([5]);

  // @ts-expect-error there is no such method
  stub.nothing();
  // @ts-expect-error an address is a text, or a URL
  react.useRpc<Api>(5);
  // @ts-expect-error an address is a text, or a URL
  vue.useRpc<Api>(5);
  // @ts-expect-error an address is a text, or a URL
  svelte.useRpc<Api>(5);
  // @ts-expect-error an address is a text, or a URL
  solid.useRpc<Api>(5);
  // @ts-expect-error it has numbers
  react.useSubscription<Api, string>(stub, 'x', (each) => each.changes());
  // @ts-expect-error it takes a number
  rpcQuery(stub.add)('x');
  // @ts-expect-error arguments are a list
  void mutation.mutationFn(5);
}
