// Says in one message what is missing, before a command fails for it. Any Node that npm runs on can read this file.
import { existsSync, readFileSync } from 'node:fs';

/** The oldest Node that runs TypeScript as it is. */
const OLDEST = [22, 18];

/**
 * Returns why commands of this repository cannot run, and what to do; undefined if they can.
 *
 * @param {string} version of the Node that runs them, such as `v24.21.0`
 * @param {boolean} isInstalled whether `npm ci` has been run
 * @param {string} brought the version of the Node that `npm ci` installs
 */
export function obstacle(version, isInstalled, brought) {
  if (!isInstalled) return 'Run `npm ci` first: it installs everything, including the right Node.';
  const [major, minor] = version.slice(1).split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return undefined;
  return (
    `This needs Node ${OLDEST.join('.')} or newer, and runs with ${version}. \`npm ci\` installs Node ${brought} for the ` +
    'commands of this repository, unless it is told to ignore scripts: run `npm ci` again, and start commands by npm.'
  );
}

/**
 * Returns what to say after an installation by an older Node; undefined if there is nothing to say.
 *
 * @param {string} userAgent what npm says of itself, such as `npm/11.19.1 node/v20.20.2 linux x64`
 * @param {string} brought the version of the Node that `npm ci` installs
 */
export function afterInstallation(userAgent, brought) {
  const own = / node\/(v\S+)/.exec(userAgent)?.[1];
  if (own === undefined || obstacle(own, true, brought) === undefined) return undefined;
  return (
    `Your Node is ${own}, which is older than this repository needs. That is no problem: \`npm ci\` has installed Node ` +
    `${brought}, and npm runs all commands with it. To run a file with it, write \`npx node\`.`
  );
}

const root = new URL('../../', import.meta.url);
const { devDependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

/** Ends the process with a message if commands of this repository cannot run. */
export function requireNode() {
  const isInstalled = existsSync(new URL('node_modules/.package-lock.json', root));
  const reason = obstacle(process.version, isInstalled, devDependencies.node);
  if (reason === undefined) return;
  console.error(`\n${reason}\n`);
  process.exit(1);
}

if (process.argv[1]?.endsWith('node-version.mjs')) {
  if (process.argv.includes('--installed')) {
    const message = afterInstallation(process.env.npm_config_user_agent ?? '', devDependencies.node);
    if (message !== undefined) console.log(`\n${message}\n`);
  } else requireNode();
}
