// `npm start`: serves the playground with wrangler, says where it is, and takes wrangler down with it.
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PAGE_FOLDER, watchPage } from './build-page.mjs';
import { isPortTaken, readOptions } from './start-options.mjs';

const projectFolder = fileURLToPath(new URL('../..', import.meta.url));
const config = fileURLToPath(new URL('wrangler.toml', import.meta.url));

const HELP = `Serves the playground, its Worker and its page, on this machine.

  npm start                          on http://localhost:8787/
  npm start -- --port 9000           on another port; 0 takes any free one
  npm start -- --ip 0.0.0.0          for other machines on the network too
  npm start -- --persist-to <dir>    keeps what objects store there, instead of in .wrangler/state

An edit of the Worker, of the page or of the library is served at once; reload the page to see it. Counters and chat rooms
keep what they have between runs; delete .wrangler/state to forget it all.
Every other option goes to \`wrangler dev\` as it is; \`npx wrangler dev --help\` lists them.`;

/** What wrangler is told beside its arguments; whoever sets one of these in the environment has the last word. */
const QUIET_AND_LOCAL = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  // Without it wrangler downloads a sample of `request.cf` at every start, and prints a stack trace when offline.
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  // The trace collector that wrangler attaches by itself adds about 0.4 ms to every frame of a hibernating socket.
  X_LOCAL_OBSERVABILITY: 'false',
  // Wrangler's own conditions, and ours first: an edit in a package's sources is served at once, without a build.
  WRANGLER_BUILD_CONDITIONS: '@lumenize/source,workerd,worker,browser',
};

/** Loaded into wrangler before it starts: a killed parent cannot pass a signal on, but its channel closes. */
const STOP_WITH_PARENT = `data:text/javascript,${encodeURIComponent(
  "process.on('disconnect', () => process.kill(process.pid, 'SIGTERM')); process.channel?.unref();",
)}`;

function whereToGo(host, port, hasDocs) {
  const origin = `localhost:${port}`;
  const address = ['localhost', '127.0.0.1', '::1', '0.0.0.0', '*', '::'].includes(host) ? origin : `${host}:${port}`;
  return `
  The playground is running.

  Page       http://${address}/   (open it twice: both count on one counter; #counter/another is another one)
${hasDocs ? `  Docs       http://${address}/docs/\n` : ''}  From Node  save these lines as try.mjs in this folder, then: npx node try.mjs

      import { connect } from '@lumenize/rpc';
      using counter = connect('ws://${address}/rpc/counter/main');
      console.log(await counter.increment());

  Ctrl-C stops it.
`;
}

function startWrangler(wranglerArguments) {
  // Wrangler's main module and not its bin: the bin starts a second process and does not pass signals on to it.
  const cli = fileURLToPath(import.meta.resolve('wrangler'));
  return fork(cli, ['dev', '--config', config, ...wranglerArguments], {
    cwd: projectFolder,
    env: { ...QUIET_AND_LOCAL, ...process.env },
    execArgv: ['--no-warnings', '--import', STOP_WITH_PARENT],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // A process group of its own: Ctrl-C would end workerd under wrangler's hands, which calls that an error.
    detached: process.platform !== 'win32',
  });
}

/** Kills wrangler, where it has not ended, and all that it started. */
function killGroup(wrangler) {
  try {
    process.kill(process.platform === 'win32' ? wrangler.pid : -wrangler.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Time that wrangler may take to end when it is told to, in milliseconds. */
const GRACE_MS = 10_000;

function stopOnSignals(wrangler) {
  let stoppedBy;
  const stop = (signal) => {
    wrangler.kill('SIGTERM');
    if (stoppedBy) return;
    stoppedBy = signal;
    setTimeout(() => killGroup(wrangler), GRACE_MS).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  // A signal sent to `npm start` reaches npm's shell, which ends without telling us: we find ourselves with another parent.
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event) setInterval(() => process.ppid !== parent && stop('SIGTERM'), 500).unref();
  return () => stoppedBy;
}

const options = readOptions(process.argv.slice(2));
if (options.help) {
  console.log(HELP);
  process.exit(0);
}
if (options.error) {
  console.error(`${options.error}\n\n${HELP}`);
  process.exit(2);
}
if (await isPortTaken(options.port, options.host)) {
  console.error(
    `Port ${options.port} is in use, perhaps by an earlier \`npm start\`. Stop that, or choose another port:\n\n` +
      `  npm start -- --port ${options.port === 9000 ? 9001 : 9000}\n`,
  );
  process.exit(1);
}

// Made by `npm run docs`.
const hasDocs = existsSync(join(options.pageFolder ?? PAGE_FOLDER, 'docs'));
// Before wrangler, which refuses to serve a folder that is not there.
await watchPage(options.pageFolder);
const wrangler = startWrangler(options.wranglerArguments);
const stoppedBy = stopOnSignals(wrangler);
wrangler.on('message', (message) => {
  const { event, port } = JSON.parse(String(message));
  if (event === 'DEV_SERVER_READY') console.log(whereToGo(options.host, port, hasDocs));
});
wrangler.on('exit', (code, signal) => {
  killGroup(wrangler);
  const stopped = stoppedBy();
  if (stopped) process.exit(128 + constants.signals[stopped]);
  console.error(`wrangler dev ended by itself (${signal ?? `exit code ${code}`}); its messages above say why.`);
  process.exit(code || 1);
});
