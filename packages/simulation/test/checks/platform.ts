import { NETWORK_CHECKS } from './network-checks.ts';
import { OBJECT_CHECKS } from './object-checks.ts';
import { WORLD_CHECKS } from './world-checks.ts';

/** Runs checks, and says of each why it failed, or null. */
const results: Record<string, string | null> = {};
for (const [name, check] of Object.entries({ ...OBJECT_CHECKS, ...NETWORK_CHECKS, ...WORLD_CHECKS })) {
  if (process.argv[2] !== undefined && !name.includes(process.argv[2])) continue;
  results[name] = await check().then(
    () => null,
    (error: Error) => error.stack ?? String(error),
  );
}
process.stdout.write(JSON.stringify(results));
