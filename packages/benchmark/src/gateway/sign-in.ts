import { delay } from '../delay.ts';
import { type Bench, expectAnswer } from '../scenarios/scenario.ts';
import { Unavailable } from '../subjects/unavailable.ts';
import type { GatewayConnection } from './gateway.ts';

/** Time for a socket to close, so that it is not part of what comes next. */
const CLOSING_MS = 2;

/** Connects with a token, which the server may not have looked at yet; throws `Unavailable` where the subject has no gateway. */
export async function connectAs(bench: Bench, token: string): Promise<GatewayConnection> {
  if (!bench.connectAs) throw new Unavailable('it has no gateway');
  return bench.connectAs(token);
}

/** Opens a connection that the server has taken for that user's. */
export async function signedIn(bench: Bench, token: string, name: string): Promise<GatewayConnection> {
  const gateway = await connectAs(bench, token);
  expectAnswer('whoAmI', await gateway.whoAmI(), name);
  return gateway;
}

/** Closes a connection, and gives that time. */
export async function closeAndSettle(gateway: GatewayConnection): Promise<void> {
  gateway.close();
  await delay(CLOSING_MS);
}
