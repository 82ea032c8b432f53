import type { Host, HostName } from './host.ts';
import { LinkedHost } from './linked.ts';
import type { WorkerConfig } from './worker-config.ts';
import { WorkerdHost } from './workerd.ts';
import { WranglerDevHost } from './wrangler-dev.ts';

/** Creates the host called `name` for the Worker bundled at `bundle`. */
export function createHost(name: HostName, bundle: string, config: WorkerConfig): Host {
  switch (name) {
    case 'workerd':
      return new WorkerdHost(bundle, config);
    case 'wrangler-dev':
      return new WranglerDevHost(bundle, config);
    case 'wrangler-dev-traced':
      return new WranglerDevHost(bundle, config, { traced: true });
    case 'workerd-lan':
      return new LinkedHost(new WorkerdHost(bundle, config), 'lan');
    case 'workerd-cable':
      return new LinkedHost(new WorkerdHost(bundle, config), 'cable');
    case 'workerd-lte':
      return new LinkedHost(new WorkerdHost(bundle, config), 'lte');
    case 'workerd-far':
      return new LinkedHost(new WorkerdHost(bundle, config), 'far');
    case 'deployed':
      throw new Error('a deployed Worker is not started here, but reached at its URL');
    default:
      throw new Error(`no host is called ${name satisfies never}`);
  }
}
