import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { fetchDescription } from '@lumenize/inspect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectTo } from '../../../packages/cli/src/connect-options.ts';
import { EXIT } from '../../../packages/cli/src/failure.ts';
import { startRepl } from '../../../packages/cli/src/repl/start-repl.ts';
import { runCli } from '../../../packages/cli/test/support/run-cli.ts';
import { DocumentCode } from '../../support/document-code.ts';
import { projectFolder } from '../../support/serve-counter.ts';
import { type ServedWorker, serveWorker } from '../../support/workerd.ts';

let served: ServedWorker;
let toolbox: string;

beforeAll(async () => {
  served = await serveWorker({
    main: fileURLToPath(new URL('../../../packages/cli/test/worker/worker.ts', import.meta.url).href),
    compatibilityDate: '2026-10-15',
    compatibilityFlags: [],
    objects: { TOOLBOX: 'Toolbox' },
  });
  toolbox = served.url('/rpc/toolbox/main');
});

afterAll(() => served[Symbol.asyncDispose]());

describe.concurrent('call', () => {
  test.each([
    ['a method', ['increment', '5'], '5'],
    ['a getter', ['version'], "'1.2.3'"],
    ['a chain', ['profile().owner.name'], "'Ada'"],
    ['a function that a call returns', ['maker()(2)'], '2'],
    ['a function that a call returns, as argument', ['echo(maker()(2), maker()("a"))'], "[ 2, 'a' ]"],
    ['a result as argument', ['echo(version, profile().tags)'], "[ '1.2.3', Set(1) { 'demo' } ]"],
    [
      'values and text',
      ['echo', 'new Map([[1n,"a"]])', 'hello world', '[1,,3]'],
      "[ Map(1) { 1n => 'a' }, 'hello world', [ 1, <1 empty item>, 3 ] ]",
    ],
    ['what begins with a dash', ['echo', '--', '-3'], '[ -3 ]'],
    ['what is iterable, as it comes', ['countdown', '2'], '2\n1'],
    ['JSON, for programs', ['echo', '{a: 1}', '--json'], '[{"a":1}]'],
  ])('prints the result of %s', async (_what, args, expected) => {
    const { stdout, stderr, exitCode } = await runCli(['call', toolbox, ...args]);
    expect({ stdout: stdout.trim(), stderr, exitCode }).toEqual({ stdout: expected, stderr: '', exitCode: 0 });
  });

  test('goes by HTTP where it is told to, and shows frames', async () => {
    const { stdout, stderr } = await runCli(['call', toolbox, 'getValue', '--http', '--frames']);
    expect(stdout).toMatch(/^\d+\n$/);
    expect(stderr).toMatch(/up {3}calls, \d+ bytes\n +1: getValue\(\)/);
    expect(stderr).toMatch(/down answers, \d+ bytes\n +1 = \d+/);
  });

  test.each([
    ['what the method throws', ['fail'], 1, /^RangeError: this method fails\n {4}at a remote call\n$/],
    ['two sets of arguments', ['echo(1)', '2'], 2, /^echo\(1\) has its arguments/],
    ['a name that would make a promise of it', ['then'], 2, /^then is no name that a member can have/],
    ['a name of no member', ['profile.constructor'], 2, /^constructor is no name that a member can have/],
    ['a name of a promise', ['profile().then'], 2, /^then is no name that a member can have/],
    ['arguments that cannot be made', ['echo', 'new Map(5)'], 2, /^new Map\(5\): number 5 is not iterable/],
    ['arguments in a chain that cannot be made', ['echo(new URL("a"))'], 2, /^new URL\('a'\): Invalid URL/],
    ['what is no expression', ['a b'], 2, /is no expression, such as getValue/],
    ['what is more than names and calls', ['1 + 1'], 2, /an expression names a member/],
    ['values that JSON does not have', ['profile', '--json'], 5, /--json cannot say Set.*\nThe call has run/],
    ['what would tell a terminal what to do', ['spoof'], 1, /^Error: all is well\\x1b\[2K\\x0d\n/],
    ['a member that is not there', ['nope'], 3, /METHOD_NOT_FOUND.*\n`lumenize-rpc describe/],
    ['calls that are denied', ['reset'], 3, /^DENIED.*\n.*--token/],
    ['calls that take too long', ['hang', '--timeout', '50'], 4, /^TIMED_OUT: hang\(\) took longer than 50 ms/],
  ])('says what is wrong with %s', async (_what, args, expected, message) => {
    const { stdout, stderr, exitCode } = await runCli(['call', toolbox, ...args]);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: expected });
    expect(stderr).toMatch(message);
  });

  test.each([
    [
      'where nothing listens',
      'localhost:1/rpc/a/b',
      3,
      /NOT_EXECUTED: ws:\/\/localhost:1\/rpc\/a\/b cannot be reached/,
    ],
    ['without a path', 'localhost:8787', 2, /does not say which object/],
    ['with a scheme of something else', 'ftp://localhost/a', 2, /is no URL of an object/],
  ])('says what is wrong with a URL %s', async (_what, url, expected, message) => {
    const { stderr, exitCode } = await runCli(['call', url, 'getValue']);
    expect(exitCode).toBe(expected);
    expect(stderr).toMatch(message);
  });

  test('ends when nobody reads what it prints any more', async () => {
    const { exitCode } = await runCli(['call', toolbox, 'countdown', '1_000_000'], [], { stopReading: true });
    expect(exitCode).toBe(0);
  });

  test.each([
    ['the result', ['getValue', '--frames'], /^\d+\n$/, 0],
    ['the exit code', ['nope'], /^$/, 3],
  ])('gives %s where nobody reads what it says besides', async (_what, args, printed, expected) => {
    const { stdout, exitCode } = await runCli(['call', toolbox, ...args], [], { stderrClosed: true });
    expect(exitCode).toBe(expected);
    expect(stdout).toMatch(printed);
  });

  test('shows a token where there is one', async () => {
    const locked = served.url('/locked/toolbox/main');
    expect((await runCli(['call', locked, 'getValue'])).stderr).toMatch(
      /DENIED: authentication failed: no token was given\n.*--token/,
    );
    expect((await runCli(['call', locked, 'getValue', '--token', 'sesame'])).exitCode).toBe(0);
    const env = { LUMENIZE_RPC_TOKEN: 'sesame' };
    expect((await runCli(['call', locked, 'getValue'], [], { env })).exitCode).toBe(0);
    expect((await runCli(['call', '--help'], [], { env })).stdout).toMatch(/^(?!.*sesame).*LUMENIZE_RPC_TOKEN/s);
    expect((await runCli(['describe', locked])).stderr).toMatch(/^DENIED/);
    expect((await runCli(['describe', locked, '--token', 'sesame'])).stdout).toContain('increment()');
  });
});

describe('describe', () => {
  test('lists members, and what is declared of them', async () => {
    const { stdout } = await runCli(['describe', toolbox]);
    expect(stdout).toMatch(/^ToolboxApi\n/);
    expect(stdout).toMatch(/│ increment\(\) │ method │ exactlyOnce │/);
    expect(stdout).toMatch(/│ version {5}│ getter │ {13}│/);
    expect(stdout).not.toMatch(/constructor|rpcDescription|ctx/);
  });

  test('says what to write where an object does not say', async () => {
    const { stderr, exitCode } = await runCli(['describe', served.url('/rpc/toolbox/secretive')]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('get rpcDescription() {');
  });
});

describe('repl', () => {
  test('calls members by their names, and awaits what they return before the next line', async () => {
    const lines = [
      'const before = await getValue()',
      'increment(2)',
      'await rpc.getValue() - before',
      'fail()',
      'rpc.nope()',
      '.members',
    ];
    const { stdout, exitCode } = await runCli(['repl', toolbox], lines);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('ToolboxApi: countdown(), echo(), ');
    expect(stdout).toMatch(/rpc> undefined\nrpc> \d+\nrpc> 2\nrpc> Uncaught RangeError: this method fails/);
    expect(stdout).toContain('rpc.nope is not a function');
    expect(stdout).toMatch(/method {2}increment {2}\(exactlyOnce\)/);
  });

  test('keeps what is declared, and awaits what is called', async () => {
    const lines = [
      'function twice(x) { return 2 * x; }',
      'twice(21)',
      'class Box {}',
      'new Box()',
      '(function f() {}).name',
    ];
    const { stdout } = await runCli(['repl', toolbox], lines);
    expect(stdout).toMatch(/rpc> undefined\nrpc> 42\nrpc> undefined\nrpc> Box \{\}\nrpc> 'f'\n/);
  });

  test('gives the prompt back at Ctrl-C, though what is awaited never comes', async () => {
    using root = connectTo(toolbox, {});
    const [input, output] = [new PassThrough(), new PassThrough()];
    const repl = startRepl(root, await fetchDescription(toolbox), { input, output, terminal: true });
    const printed = (wanted: RegExp) =>
      new Promise<void>((resolve) => {
        let text = '';
        output.on('data', (chunk) => {
          text += chunk;
          if (wanted.test(text)) resolve();
        });
      });
    const called = printed(/hang\(\)/);
    input.write('hang()\n');
    await called;
    const interrupted = printed(/interrupted/);
    input.write('\x03');
    await interrupted;
    const answered = printed(/42/);
    input.write('6 * 7\n');
    await answered;
    repl.close();
  });

  test('completes names of members', async () => {
    using root = connectTo(toolbox, {});
    const repl = startRepl(root, await fetchDescription(toolbox), {
      input: new PassThrough(),
      output: new PassThrough(),
    });
    const complete = (text: string) =>
      new Promise<string[]>((resolve) => repl.completer(text, (_error, found) => resolve(found?.[0] ?? [])));
    expect(await complete('incr')).toEqual(['increment']);
    expect(await complete('rpc.get')).toEqual(['rpc.getValue']);
    repl.close();
  });

  test('ends when it is told to, though its input goes on', async () => {
    const { stdout, exitCode } = await runCli(['repl', toolbox], ['.exit'], { leaveOpen: true });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('rpc> ');
  });

  test('works without a description', async () => {
    const { stdout } = await runCli(['repl', served.url('/rpc/toolbox/secretive')], ['rpc.version']);
    expect(stdout).toContain('call it as rpc.method()');
    expect(stdout).toContain("'1.2.3'");
  });
});

describe('bench', () => {
  test('says how long calls took, and how many frames they were', async () => {
    const args = ['getValue', '--seconds', '0.3', '--warm-up', '0', '--connections', '2', '--in-flight', '4'];
    const { stdout, exitCode } = await runCli(['bench', toolbox, ...args]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/calls\/s.*p50.*p99\.9.*max/);
    expect(stdout).toMatch(/\d+ frames up, \d+ down/);
  });

  test.each([
    ['closes each subscription', ['news'], /\d+: news\(\)/g, /leave "news"/g],
    ['ends each stream', ['countdown', '1_000_000'], /\d+: countdown\(/g, /release #\d+/g],
  ])('%s that a call opens', async (_what, args, calls, ends) => {
    const quick = ['--seconds', '0.2', '--warm-up', '0', '--frames'];
    const { stderr, exitCode } = await runCli(['bench', toolbox, ...args, ...quick]);
    expect(exitCode).toBe(0);
    const [made = [], ended = []] = [calls, ends].map((each) => stderr.match(each) ?? []);
    // Of the last ones the connection ends before they do.
    expect(made.length - ended.length).toBeLessThanOrEqual(1);
    expect(ended.length).toBeGreaterThan(0);
  });

  test('leaves the terminal as it was at Ctrl-C', async () => {
    const env = { NODE_OPTIONS: '--import=data:text/javascript,process.stderr.isTTY=true' };
    const { stderr, exitCode } = await runCli(['bench', toolbox, 'getValue', '-s', '60'], [], { env, interrupt: true });
    expect(exitCode).toBe(130);
    // The cursor is shown, and long lines are wrapped.
    const last = (setting: string) => stderr.lastIndexOf(`\x1b[?${setting}`);
    expect(last('25h')).toBeGreaterThan(last('25l'));
    expect(last('7h')).toBeGreaterThan(last('7l'));
  });

  test('refuses a second set of arguments', async () => {
    const { stderr, exitCode } = await runCli(['bench', toolbox, 'echo(1)', '2']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^echo\(1\) has its arguments/);
  });

  test('ends with the first call that fails', async () => {
    const { stderr, exitCode } = await runCli(['bench', toolbox, 'fail', '--seconds', '60']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^RangeError: this method fails/);
  });
});

test.each([
  ['no command', [], /Usage: lumenize-rpc/],
  ['a command that is none', ['cal'], /unknown command 'cal'\n\(Did you mean call\?\)/],
  ['options that are wrong', ['bench', 'localhost/a/b', 'x', '-c', '0'], /It should be a whole number from 1 on/],
  ['no time', ['bench', 'localhost/a/b', 'x', '-s', '0'], /It should be longer than nothing/],
])('tells what there is, given %s', async (_what, args, message) => {
  const { stderr, exitCode } = await runCli(args);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(message);
});

test('says its version', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../packages/cli/package.json', import.meta.url), 'utf8'));
  expect(await runCli(['--version'])).toEqual({ stdout: `${version}\n`, stderr: '', exitCode: 0 });
});

test('says which Node it needs, of one that has no WebSocket', async () => {
  const env = { NODE_OPTIONS: '--no-experimental-websocket' };
  const { stderr, exitCode } = await runCli(['call', toolbox, 'getValue'], [], { env });
  expect({ stderr, exitCode }).toEqual({
    stderr: `lumenize-rpc needs Node.js >=22.12, and this is ${process.version}.\n`,
    exitCode: 2,
  });
});

describe.concurrent('the exit code says what happened to the call:', () => {
  const sent = /up {3}calls/;
  test.each<[what: string, args: string[], code: number, isSent: boolean]>([
    ['worked', ['increment', '0'], 0, true],
    ['worked, with a getter', ['version'], 0, true],
    ['threw', ['fail'], 1, true],
    ['threw, with a getter', ['unready'], 1, true],
    ['threw while it was read', ['stops', 'RangeError'], 1, true],
    ['arguments that cannot be made', ['echo', 'new Map(5)'], 2, false],
    ['an argument that cannot be made behind a call', ['profile().owner(new Map(5))'], 2, false],
    ['a name of no member behind a call', ['profile().then'], 2, false],
    ['worked, with a function that a call returned', ['maker()(2)'], 0, true],
    ['two sets of arguments for a function', ['maker()(2)', '3'], 2, false],
    ['a result that is no function', ['profile()(2)'], 4, true],
    ['two sets of arguments', ['echo(1)', '2'], 2, false],
    ['a method that is not there', ['nope'], 3, true],
    ['a method that is not there, with arguments', ['nope', '1'], 3, true],
    ['a guard that refuses', ['reset'], 3, true],
    ['a method that is not there, behind a call', ['profile().nope()'], 4, true],
    ['a member that is not there, behind a call', ['profile().owner.nope()'], 4, true],
    ['a guard that refuses, behind an argument', ['reset(increment(0))'], 4, true],
    ['ran, and JSON cannot say its result', ['profile', '--json'], 5, true],
    ['ran, and JSON cannot say an item', ['mixed', '--json'], 5, true],
    ['ran, and was refused while it was read', ['stops', 'DENIED'], 5, true],
    ['threw, with a promise in its result that rejects', ['late'], 1, true],
  ])('%s', async (_what, args, code, isSent) => {
    const { stdout, stderr, exitCode } = await runCli(['call', toolbox, '--frames', ...args]);
    expect({ exitCode, isSent: sent.test(stderr) || stdout !== '' }, stderr).toEqual({ exitCode: code, isSent });
  });

  test.each([
    ['worked', ['echo(1)'], 0],
    ['threw', ['fail'], 1],
    ['worked, with a function that a call returned', ['maker()(2)'], 0],
    ['a guard that refuses', ['reset'], 3],
    ['a method that is not there, behind a call', ['profile().nope'], 4],
  ])('of bench, %s', async (_what, args, code) => {
    const options = ['--seconds', '0.01', '--warm-up', '0'];
    expect((await runCli(['bench', toolbox, ...args, ...options])).exitCode).toBe(code);
  });

  test.each([
    ['nothing listens', ['call', 'ws://localhost:1/rpc/a/b', 'profile().nope()'], 3],
    ['nothing listens, over HTTP', ['call', 'ws://localhost:2/rpc/a/b', 'profile().nope()', '--http'], 3],
    ['nothing listens to bench', ['bench', 'ws://localhost:1/rpc/a/b', 'profile().nope()'], 3],
    ['nothing listens to describe', ['describe', 'ws://localhost:1/rpc/a/b'], 3],
  ])('%s', async (_what, args, code) => expect((await runCli(args)).exitCode).toBe(code));

  test('refused as a whole, nothing of it has run', async () => {
    const { exitCode } = await runCli(['call', served.url('/locked/toolbox/main'), 'profile().nope()']);
    expect(exitCode).toBe(3);
  });

  test('the help and docs/guides/tools.md have one table', async () => {
    const { stdout } = await runCli(['--help']);
    const listed = [...stdout.matchAll(/^ {2}(\d) {2}(.*)$/gm)].map(([, code, meaning]) => `| ${code} | ${meaning} |`);
    expect(listed).toHaveLength(Object.keys(EXIT).length);
    expect(readFileSync(join(projectFolder, 'docs/guides/tools.md'), 'utf8')).toContain(listed.join('\n'));
  });
});

describe('docs/guides/tools.md', () => {
  test('has code without type errors', async () => {
    await using code = await DocumentCode.of('docs/guides/tools.md');
    expect([...code.blocks.keys()]).toEqual(['worker.ts']);
    expect(await code.typeErrors({ types: ['@cloudflare/workers-types'] })).toBe('');
  });
});

describe('what documents say to type', () => {
  const documents = ['../../../docs/guides/tools.md', '../../../packages/cli/README.md'].map((path) =>
    readFileSync(fileURLToPath(new URL(path, import.meta.url).href), 'utf8'),
  );
  const lines = documents.flatMap((text) =>
    [...text.matchAll(/^npx @lumenize\/rpc-cli (.+)$/gm)].map(([, line]) => line),
  );
  test.each([...new Set(lines)])('%s works', async (line) => {
    const words = line.replace('localhost:8787/rpc/counter/main', toolbox).split(' ');
    const quick = words[0] === 'bench' ? ['--seconds', '0.2', '--warm-up', '0'] : [];
    const { stdout, stderr, exitCode } = await runCli([...words.map((word) => word.replaceAll("'", '')), ...quick]);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).not.toBe('');
  });
});
