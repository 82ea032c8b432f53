import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFolder } from '../support/serve-counter.ts';
// The newest compiler that can be asked what an editor would show.
import ts from '../types/node_modules/typescript/lib/typescript.js';

const file = join(projectFolder, 'test/types/editor.ts');
const text = `import { connect, type Stub } from '@lumenize/rpc';
import { type ApiOf, type Methods, RpcTarget } from '@lumenize/rpc/server';
import { z } from 'zod';
interface User { id: number; name: string; manager?: User }
class Member extends RpcTarget { get name(): string { return ''; } }
class Api extends RpcTarget {
  /** Adds to it. */
  add(by = 1): number { return by; }
  user(id: number, like?: User): User { throw id ?? like; }
  users(): User[] { return []; }
  member(): Member { return new Member(); }
  declare lent: () => Promise<Stub<Member>>;
  self(): this { return this; }
  watch(listener: (member: Member) => void): void { throw listener; }
}
class Shop extends RpcTarget {
  static readonly rpc = { order: { args: [z.string(), z.number().default(1)] } } satisfies Methods<Shop>;
  /** Orders some. */
  order(name: string, count: number): string { return name + count; }
}
type ShopApi = ApiOf<typeof Shop>;
const named = connect<ShopApi>('ws://localhost');
const shop = connect<ApiOf<typeof Shop>>('ws://localhost');
shop.order('lamp');
const api = connect<Api>('ws://localhost');
const result = api.user(1);
const user = await api.user(1);
const users = await api.users();
const member = await api.member();
const lent = api.lent();
const self = api.self();
const names = api.users().map((each) => each.name);
api.watch((listened) => {});
api.add(1);
api.user(1);
api.add('x');
`;

const declarationsFile = join(projectFolder, 'test/types/declarations-in-editor.ts');
const declarations = `import { type ApiOf, type Methods, RpcTarget } from '@lumenize/rpc/server';
import { z } from 'zod';
class Api extends RpcTarget {
  async load(): Promise<number> { return 1; }
  add(by: number): number { return by; }
  get size(): number { return 1; }
}
({ load: { exactlyOnce: true } }) satisfies Methods<Api>;
({ add: { exactlyOnce: true, idempotent: true } }) satisfies Methods<Api>;
({ add: { idempotent: true, exactlyOnce: true } }) satisfies Methods<Api>;
({ add: { args: [z.string()] } }) satisfies Methods<Api>;
({ add: { args: [/x/] } }) satisfies Methods<Api>;
({ ad: { readOnly: true } }) satisfies Methods<Api>;
({ size: { readOnly: true } }) satisfies Methods<Api>;
export type Wrong = ApiOf<Api>;
`;
const texts = new Map([
  [file, text],
  [declarationsFile, declarations],
]);

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(projectFolder, 'test/types/tsconfig.json'), ts.sys.readFile).config,
  ts.sys,
  join(projectFolder, 'test/types'),
);
const editor = ts.createLanguageService({
  ...ts.sys,
  useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
  getScriptFileNames: () => [...texts.keys()],
  getScriptVersion: () => '1',
  getScriptSnapshot: (name) => {
    const content = texts.get(name) ?? ts.sys.readFile(name);
    return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
  },
  fileExists: (name) => texts.has(name) || ts.sys.fileExists(name),
  getCompilationSettings: () => ({ ...options, noUnusedLocals: false, noUnusedParameters: false }),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  getCurrentDirectory: () => projectFolder,
});

function hover(code: string) {
  const info = editor.getQuickInfoAtPosition(file, text.lastIndexOf(code));
  return { type: ts.displayPartsToString(info?.displayParts), doc: ts.displayPartsToString(info?.documentation) };
}

test('an editor shows stubs, results and arguments by name', { timeout: 60_000 }, () => {
  expect(hover('api =').type).toBe('const api: Stub<Api>');
  expect(hover('result =').type).toBe('const result: RemotePromise<User>');
  expect(hover('user =').type).toBe('const user: User');
  expect(hover('users =').type).toBe('const users: User[]');
  expect(hover('member =').type).toBe('const member: Stub<Member>');
  expect(hover('lent =').type).toBe('const lent: RemotePromise<Stub<Member>>');
  expect(hover('self =').type).toBe('const self: RemotePromise<Api>');
  expect(hover('names =').type).toBe('const names: RemotePromise<string[]>');
  expect(hover('each)').type).toBe('(parameter) each: RemotePromise<User>');
  expect(hover('listened)').type).toBe('(parameter) listened: Stub<Member>');
  expect(hover('user(1)').type).toContain('user(id: Sent<number>, like?: Sent<User | undefined>): RemotePromise<User>');
});

test('an API that is made from a class keeps the name that it has', () => {
  expect(hover('named =').type).toBe('const named: Stub<ShopApi>');
  expect(hover('shop =').type).toBe('const shop: Stub<ApiOf<typeof Shop>>');
});

test("an editor shows parameters and documentation of a class's methods to its callers", () => {
  expect(hover("order('lamp')").type).toContain(
    'order(name: Sent<string>, count?: Sent<number | undefined>): RemotePromise<string>',
  );
  expect(hover("order('lamp')").doc).toBe('Orders some.');
});

test('an editor shows the documentation of a method, and completes the methods of the target', () => {
  expect(hover("add('x')").doc).toBe('Adds to it.');
  const completions = editor.getCompletionsAtPosition(file, text.lastIndexOf("add('x')"), {})?.entries ?? [];
  expect(completions.map(({ name }) => name)).toEqual(['add', 'lent', 'member', 'self', 'user', 'users', 'watch']);
});

test('a mistake is told in one line', () => {
  const messages = editor.getSemanticDiagnostics(file).map(({ messageText }) => messageText);
  expect(messages).toEqual([
    `Argument of type '"x"' is not assignable to parameter of type 'Sent<number | undefined>'.`,
  ]);
});

test('a mistake in static rpc is told by what to do', () => {
  const firstLines = editor
    .getSemanticDiagnostics(declarationsFile)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n').split('\n')[0]);
  expect(firstLines).toEqual([
    `Type 'true' is not assignable to type 'false | Explained<"exactlyOnce needs a synchronous method that returns a value"> | undefined'.`,
    `Type 'true' is not assignable to type 'false | Explained<"a method is exactlyOnce or idempotent, not both"> | undefined'.`,
    `Type 'true' is not assignable to type 'false | Explained<"a method that may run again is not exactlyOnce"> | undefined'.`,
    `Type 'ZodString' is not assignable to type 'StandardSchema<number>'.`,
    `Property ''~standard'' is missing in type 'RegExp' but required in type 'StandardSchema<number>'.`,
    `Object literal may only specify known properties, and 'ad' does not exist in type 'Methods<Api, any>'.`,
    `Type 'true' is not assignable to type 'Explained<"a getter is readOnly by itself">'.`,
    `Type 'Api' does not satisfy the constraint 'TypeofClass'.`,
  ]);
});
