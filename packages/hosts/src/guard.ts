// Runs as a process of its own: `node guard.ts <directory> <command> [argument…]`.
//
// It starts the command in a process group, and reports the start on file descriptor 3. When its standard input closes,
// it ends the group and removes the directory. A pipe closes however its writer ends, so a crashed or killed run leaves
// no server behind.
import { spawn } from 'node:child_process';
import { rmSync, writeSync } from 'node:fs';

const [directory, command, ...args] = process.argv.slice(2);
// Written before the command starts. Otherwise the time would include the start of this process.
writeSync(3, `{"event":"spawn","at":${performance.timeOrigin + performance.now()}}\n`);
const child = spawn(command, args, { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'inherit'] });

let ended = false;
function end(): void {
  if (ended) return;
  ended = true;
  try {
    process.kill(-child.pid!, 'SIGKILL');
  } catch {
    // The group is already gone or was never started, so nothing is left to end.
  }
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  process.exit();
}

child.once('error', (error) => {
  console.error(error.message);
  end();
});
child.once('exit', end);
process.stdin.once('end', end).once('error', end).resume();
// Ctrl-C reaches every process of the terminal's group. The guard must survive it to clean up.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
