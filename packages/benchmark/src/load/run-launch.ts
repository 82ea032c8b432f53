import { fork } from 'node:child_process';
import type { ClientMessage } from './plan.ts';

/** How the process of a launch is started. */
export interface LaunchOptions {
  /** Options of Node. @default none: those meant for this process, such as a test runner's, are not the launch's */
  readonly execArgv?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs `plan` in a fresh process of `client` and resolves with its report; `onProgress` hears how many blocks are done. */
export function runLaunch<Plan extends object, Report>(
  client: string,
  plan: Plan,
  onProgress: (blocks: number) => void,
  { execArgv = [], env }: LaunchOptions = {},
): Promise<Report> {
  const { promise, resolve, reject } = Promise.withResolvers<Report>();
  const process = fork(client, { execArgv: [...execArgv], env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let errors = '';
  process.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  process.on('message', (message: ClientMessage<Report>) => {
    if (message.type === 'progress') onProgress(message.blocks);
    else if (message.type === 'report') resolve(message.report);
    else if (message.type === 'failure') reject(new Error(`the launch failed: ${message.message}`));
    else message satisfies never;
  });
  process.once('error', reject);
  // After the report this changes nothing; before it, the process has died without one.
  process.once('close', (code) =>
    reject(new Error(`the client process ended with code ${code} and no report\n${errors}`)),
  );
  process.send(plan);
  return promise;
}
