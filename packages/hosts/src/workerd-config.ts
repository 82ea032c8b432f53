/** The configuration of workerd for a Worker. */
export interface WorkerdConfig {
  readonly compatibilityDate: string;
  readonly compatibilityFlags?: readonly string[];
  /** The Durable Object classes by the names of their bindings. */
  readonly objects: Readonly<Record<string, string>>;
  /** Texts that the Worker finds in `env`. @default none */
  readonly vars?: Readonly<Record<string, string>>;
  readonly v8Flags?: readonly string[];
  /** Whether the Worker may fetch from servers on this machine, and only from these. @default false */
  readonly isLocal?: boolean;
}

/**
 * Returns workerd's configuration for a Worker whose bundle is `worker.js` in the same folder. Objects keep their state
 * in the folder `storage`. The server listens on the loopback address, on a free port if `port` is 0.
 */
export function workerdConfig(worker: WorkerdConfig, storage: string, port: number): string {
  const text = (value: unknown) => JSON.stringify(value);
  const namespaces = Object.values(worker.objects).map(
    (name) => `(className = ${text(name)}, uniqueKey = ${text(name)}, enableSql = true)`,
  );
  const bindings = [
    ...Object.entries(worker.objects).map(
      ([binding, name]) => `(name = ${text(binding)}, durableObjectNamespace = ${text(name)})`,
    ),
    ...Object.entries(worker.vars ?? {}).map(([name, value]) => `(name = ${text(name)}, text = ${text(value)})`),
  ];
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
