/** Configuration of workerd for a Worker. */
export interface WorkerdConfig {
  readonly compatibilityDate: string;
  readonly compatibilityFlags?: readonly string[];
  /** Durable Object classes by the name of their binding. */
  readonly objects: Readonly<Record<string, string>>;
  readonly v8Flags?: readonly string[];
  /** Lets it fetch from servers on this machine, and from no others. @default false */
  readonly isLocal?: boolean;
}

/**
 * Writes workerd's configuration for a Worker whose bundle lies beside it as `worker.js`: its objects keep their state
 * in the folder `storage`, and it listens on the loopback address, on a free port where `port` is 0.
 */
export function workerdConfig(worker: WorkerdConfig, storage: string, port: number): string {
  const text = (value: unknown) => JSON.stringify(value);
  const namespaces = Object.values(worker.objects).map(
    (name) => `(className = ${text(name)}, uniqueKey = ${text(name)}, enableSql = true)`,
  );
  const bindings = Object.entries(worker.objects).map(
    ([binding, name]) => `(name = ${text(binding)}, durableObjectNamespace = ${text(name)})`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  v8Flags = ${text(worker.v8Flags ?? [])},
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = ${text(worker.compatibilityDate)},
      compatibilityFlags = ${text(worker.compatibilityFlags ?? [])},
      durableObjectNamespaces = [${namespaces.join(', ')}],
      durableObjectStorage = (localDisk = "storage"),
      bindings = [${bindings.join(', ')}],
    )),
${worker.isLocal ? '    (name = "internet", network = (allow = ["local"])),\n' : ''}    (name = "storage", disk = (path = ${text(storage)}, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`;
}
