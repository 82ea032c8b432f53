import { type Caller, RpcObject, RpcTarget, routeRpc } from '@lumenize/rpc/server';
import { tokenOf, verify } from './clerk.ts';
import type { User } from './verifier.ts';

export class Desk extends RpcTarget {
  readonly #user: User;

  constructor(user: User) {
    super();
    this.#user = user;
  }

  whoAmI(): User {
    return this.#user;
  }
}

export class Office extends RpcObject<unknown, User> {
  target({ identity }: Caller<User>) {
    return new Desk(identity);
  }
}

export default {
  async fetch(request, env) {
    const authenticate = (request: Request, { token }: { token: string | undefined }) =>
      verify(tokenOf(request, token));
    return (await routeRpc(request, env, { authenticate })) ?? new Response('Not found', { status: 404 });
  },
} satisfies ExportedHandler<{ OFFICE: DurableObjectNamespace }>;
