import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const DEFAULTS = {
  port: '8787',
  ip: 'localhost',
  // Any free port: wrangler's debugger must not stop a second copy from starting.
  'inspector-port': '0',
  // No hot keys: Ctrl-C alone stops the server, and what is printed can be piped and read.
  'show-interactive-dev-session': 'false',
  'persist-to': '.wrangler/state',
};

/**
 * Reads what `npm start --` was given.
 * @param {string[]} given
 * @returns {{ help: boolean, error?: string, port: number, host: string, pageFolder?: string, wranglerArguments: string[] }}
 */
export function readOptions(given) {
  const { values } = parseArgs({
    args: given,
    strict: false, // wrangler knows the other options
    options: {
      port: { type: 'string' },
      ip: { type: 'string' },
      assets: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const port = Number(values.port ?? DEFAULTS.port);
  const valid = values.port !== true && values.port !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535;
  const defaults = Object.entries(DEFAULTS).filter(([name]) => !isGiven(given, name));
  return {
    help: values.help === true,
    error: valid ? undefined : `--port takes a number from 0 to 65535, for example: npm start -- --port 9000`,
    port,
    host: typeof values.ip === 'string' ? values.ip : DEFAULTS.ip,
    // Where the page is served from, it is built.
    pageFolder: typeof values.assets === 'string' ? resolve(values.assets) : undefined,
    wranglerArguments: [...defaults.map(([name, value]) => `--${name}=${value}`), ...given],
  };
}

function isGiven(given, name) {
  return given.some((argument) => argument === `--${name}` || argument.startsWith(`--${name}=`));
}

/** Resolves to true when another program listens on `port`. */
export async function isPortTaken(port, host) {
  if (port === 0) return false;
  // `localhost` is two addresses, and a browser may take either.
  const addresses = host === 'localhost' ? ['127.0.0.1', '::1'] : [host];
  const taken = await Promise.all(addresses.map((address) => cannotListen(port, address)));
  return taken.includes(true);
}

function cannotListen(port, address) {
  return new Promise((settle) => {
    const server = createServer();
    // Other errors, such as a machine without IPv6, are left for wrangler to judge.
    server.once('error', (error) => settle(error.code === 'EADDRINUSE'));
    server.listen({ port, host: address, exclusive: true }, () => server.close(() => settle(false)));
  });
}
