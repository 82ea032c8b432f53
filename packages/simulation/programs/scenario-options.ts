import type { Caller, RpcServerOptions } from '@lumenize/rpc/server';
import { type ScenarioSpec, setEdge } from '../src/scenarios/spec.ts';
import type { Identity } from './identity.ts';

/** The options of a server for a scenario. */
export function scenarioOptions({
  limits,
  connectionRate,
  identityRate,
  storedResults,
  edge,
}: ScenarioSpec): RpcServerOptions {
  const by = ({ identity }: Caller<Identity>) => identity.client;
  const options: RpcServerOptions = {
    ...(limits && { limits }),
    ...(storedResults && { storedResults }),
    rateLimits: {
      ...(connectionRate && { connection: connectionRate }),
      ...(identityRate && { identity: { ...identityRate, by } }),
    },
  };
  if (edge !== undefined) setEdge(options, edge);
  return options;
}
