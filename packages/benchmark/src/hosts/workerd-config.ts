import type { WorkerConfig } from './worker-config.ts';

/** What workerd has to be told of a Worker. */
type Served = Pick<WorkerConfig, 'objects' | 'compatibilityDate'>;

/**
 * Writes workerd's configuration for a Worker whose bundle lies beside it as `worker.js`: its objects keep their state
 * in the folder `storage`, and it listens on the loopback address, on a free port where `port` is 0.
 */
export function workerdConfig({ objects, compatibilityDate }: Served, storage: string, port: number): string {
  const text = (value: string) => JSON.stringify(value);
  const namespaces = Object.values(objects).map(
    (name) => `(className = ${text(name)}, uniqueKey = ${text(name)}, enableSql = true)`,
  );
  const bindings = Object.entries(objects).map(
    ([binding, name]) => `(name = ${text(binding)}, durableObjectNamespace = ${text(name)})`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = ${text(compatibilityDate)},
      durableObjectNamespaces = [${namespaces.join(', ')}],
      durableObjectStorage = (localDisk = "storage"),
      bindings = [${bindings.join(', ')}],
    )),
    (name = "storage", disk = (path = ${text(storage)}, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`;
}
