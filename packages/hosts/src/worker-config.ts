import { join } from 'node:path';
import { unstable_readConfig as readConfig } from 'wrangler';
import { ROOT } from './root.ts';

/** The Worker's settings in a `wrangler.toml`, as far as another host has to repeat them. */
export interface WorkerConfig {
  /** The file named there, as an absolute path. */
  readonly path: string;
  /** Absolute path of the Worker's entry module. */
  readonly main: string;
  readonly compatibilityDate: string;
  /** Durable Object classes by the name of their binding. */
  readonly objects: Readonly<Record<string, string>>;
}

/** The parts in use of what wrangler returns, whose own type needs packages that it does not install. */
interface ReadConfig {
  main?: string;
  compatibility_date?: string;
  durable_objects: { bindings: { name: string; class_name: string }[] };
}

/** Configurations of Workers, from the root: of the counter, and of the families that need more than a counter. */
export const COUNTER_WORKER = 'wrangler.toml';
export const WORK_WORKER = 'packages/benchmark/worker/wrangler.toml';

/** Reads a `wrangler.toml` with wrangler itself, so that every host serves the Worker that it describes. */
export function readWorkerConfig(file: string = COUNTER_WORKER): WorkerConfig {
  const path = join(ROOT, file);
  const config: ReadConfig = readConfig({ config: path });
  if (!config.main || !config.compatibility_date) throw new Error(`${path} names no main module or compatibility date`);
  return {
    path,
    main: config.main,
    compatibilityDate: config.compatibility_date,
    objects: Object.fromEntries(config.durable_objects.bindings.map(({ name, class_name }) => [name, class_name])),
  };
}
