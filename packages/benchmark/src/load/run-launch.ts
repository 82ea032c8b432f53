import { fork } from 'node:child_process';
import type { ClientMessage, LaunchPlan, LaunchReport } from './plan.ts';

/** Runs `plan` in a fresh client process and resolves with its report; `onProgress` hears how many blocks are done. */
export function runLaunch(
  client: string,
  plan: LaunchPlan,
  onProgress: (blocks: number) => void,
): Promise<LaunchReport> {
  const { promise, resolve, reject } = Promise.withResolvers<LaunchReport>();
  // execArgv is emptied: options meant for this process, such as a test runner's, are not the client's.
  const process = fork(client, { execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let errors = '';
  process.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  process.on('message', (message: ClientMessage) => {
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
