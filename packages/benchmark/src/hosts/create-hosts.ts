import type { Host, HostName } from './host.ts';
import type { WorkerConfig } from './worker-config.ts';
import { WorkerdHost } from './workerd.ts';
import { WranglerDevHost } from './wrangler-dev.ts';

/** Makes the host called `name`, which serves the Worker bundled at `bundle`. */
export function createHost(name: HostName, bundle: string, config: WorkerConfig): Host {
  switch (name) {
    case 'workerd':
      return new WorkerdHost(bundle, config);
    case 'wrangler-dev':
      return new WranglerDevHost(bundle, config);
    case 'wrangler-dev-traced':
      return new WranglerDevHost(bundle, config, { traced: true });
    default:
      throw new Error(`no host is called ${name satisfies never}`);
  }
}
