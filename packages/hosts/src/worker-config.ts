import { join } from 'node:path';
import { unstable_readConfig as readConfig } from 'wrangler';
import { ROOT } from './root.ts';

/** The settings of a Worker from its `wrangler.toml`, as far as other hosts need them. */
export interface WorkerConfig {
  /** The absolute path of the `wrangler.toml`. */
  readonly path: string;
  /** The absolute path of the Worker's entry module. */
  readonly main: string;
  readonly compatibilityDate: string;
  /** The Durable Object classes by the names of their bindings. */
  readonly objects: Readonly<Record<string, string>>;
}

/** The fields of wrangler's result that are used here. Wrangler's own type needs packages that it does not install. */
interface ReadConfig {
  main?: string;
  compatibility_date?: string;
  durable_objects: { bindings: { name: string; class_name: string }[] };
}

/**
 * Paths of Workers' configurations, from the root: that of the counter, and that of the families that need more than a
 * counter.
 */
export const COUNTER_WORKER = 'wrangler.toml';
export const WORK_WORKER = 'packages/benchmark/worker/wrangler.toml';

/** Reads a `wrangler.toml` with wrangler itself, so that every host serves the Worker that the file describes. */
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
