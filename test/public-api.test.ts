import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectFolder } from './support/serve-counter.ts';

/** What an entry gives its users; whoever adds to it adds it here, and means to keep it. */
interface Entry {
  readonly source: string;
  readonly load: () => Promise<object>;
  readonly values: readonly string[];
  readonly types: readonly string[];
}

const ENTRIES: Readonly<Record<string, Entry>> = {
  '@lumenize/rpc': {
    source: 'packages/rpc/src/index.ts',
    load: () => import('@lumenize/rpc'),
    values: ['RPC_ERROR_CODES', 'RpcError', 'RpcTarget', 'connect', 'connectOver', 'connection', 'withOptions'],
    types: [
      'BackoffOptions',
      'CallOptions',
      'ConnectOptions',
      'Connection',
      'ConnectionState',
      'ConnectionStatistics',
      'HeartbeatOptions',
      'OpenTransport',
      'Received',
      'RegisteredClasses',
      'Remote',
      'RemoteMembers',
      'RemotePromise',
      'RpcErrorCode',
      'RpcLimits',
      'Sent',
      'Stub',
      'SubscribeOptions',
      'Subscription',
      'TargetMark',
      'TopicItem',
      'Transport',
      'TransportEvents',
    ],
  },
  '@lumenize/rpc/server': {
    source: 'packages/rpc/src/server/index.ts',
    load: () => import('@lumenize/rpc/server'),
    values: [
      'RPC_ERROR_CODES',
      'RpcError',
      'RpcEntrypoint',
      'RpcObject',
      'RpcTarget',
      'callContext',
      'createRpcServer',
      'expiring',
      'routeRpc',
      'serveOver',
      'serveRpc',
      'storeReference',
    ],
    types: [
      'CallContext',
      'Caller',
      'ConnectedCaller',
      'CreateRpcServerOptions',
      'Credentials',
      'Expiring',
      'MethodOptions',
      'RateLimit',
      'RateLimits',
      'Reauthenticate',
      'RouteRpcOptions',
      'Peer',
      'RpcErrorCode',
      'RpcLimits',
      'RpcMetrics',
      'RpcServer',
      'RpcServerOptions',
      'SessionCounts',
      'ServeOptions',
      'ServeRpcOptions',
      'StandardSchema',
      'StoredResultsOptions',
      'SubscribeOptions',
      'Subscription',
      'Topic',
      'TopicItem',
      'TopicOptions',
      'Transport',
    ],
  },
  '@lumenize/rpc/http': {
    source: 'packages/rpc/src/http.ts',
    load: () => import('@lumenize/rpc/http'),
    values: ['connectHttp'],
    types: ['ConnectHttpOptions'],
  },
  '@lumenize/rpc/port': {
    source: 'packages/rpc/src/port.ts',
    load: () => import('@lumenize/rpc/port'),
    values: ['RpcTarget', 'connectPort', 'servePort'],
    types: ['ConnectPortOptions', 'PortLike', 'PortOptions', 'ServePortOptions'],
  },
  '@lumenize/rpc/socket': {
    source: 'packages/rpc/src/socket.ts',
    load: () => import('@lumenize/rpc/socket'),
    values: ['RpcTarget', 'SUBPROTOCOL', 'connectSocket', 'serveSocket'],
    types: ['Listenable', 'ServedSocket', 'SocketLike'],
  },
  '@lumenize/rpc/binding': {
    source: 'packages/rpc/src/binding.ts',
    load: () => import('@lumenize/rpc/binding'),
    values: ['connectBinding'],
    types: ['ConnectBindingOptions'],
  },
  '@lumenize/rpc/memory': {
    source: 'packages/rpc/src/memory.ts',
    load: () => import('@lumenize/rpc/memory'),
    values: ['RpcTarget', 'connectInMemory'],
    types: [],
  },
  '@lumenize/structured-clone': {
    source: 'packages/structured-clone/src/index.ts',
    load: () => import('@lumenize/structured-clone'),
    values: [
      'CloneError',
      'createDecoder',
      'createEncoder',
      'decode',
      'encode',
      'parse',
      'readBodies',
      'register',
      'stringify',
    ],
    types: [
      'Bodies',
      'ClassCodec',
      'CloneErrorCode',
      'DecodeOptions',
      'Decoder',
      'EncodeOptions',
      'Encoder',
      'Extension',
      'Limits',
      'TypeName',
    ],
  },
};

describe.each(Object.entries(ENTRIES))('%s', (_name, { source, load, values, types }) => {
  test('exports these values and no others', async () => {
    expect(Object.keys(await load()).sort()).toEqual([...values].sort());
  });

  test('exports these types and no others', () => {
    expect(exportedTypes(readFileSync(join(projectFolder, source), 'utf8')).sort()).toEqual([...types].sort());
  });
});

describe('the published packages', () => {
  const manifests = ['packages/structured-clone', 'packages/rpc'].map((folder) =>
    JSON.parse(readFileSync(join(projectFolder, folder, 'package.json'), 'utf8')),
  );
  const names = manifests.map(({ name }) => name);

  test('are these, and every entry of theirs is above', () => {
    const entries = manifests.flatMap(({ name, exports }) => Object.keys(exports).map((path) => name + path.slice(1)));
    expect(entries.sort()).toEqual(Object.keys(ENTRIES).sort());
  });

  test.each(manifests.map((manifest) => [manifest.name, manifest]))(
    '%s needs nothing at run time but the others',
    (_name, { dependencies = {}, peerDependencies, optionalDependencies, bundledDependencies }) => {
      expect(Object.keys(dependencies).filter((dependency) => !names.includes(dependency))).toEqual([]);
      expect([peerDependencies, optionalDependencies, bundledDependencies]).toEqual([undefined, undefined, undefined]);
    },
  );
});

/** Finds the types that an entry names; an entry names every export, which the first check makes sure of. */
function exportedTypes(text: string): string[] {
  expect(text).not.toMatch(/^export \*/m);
  const clauses = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, isType, names]) =>
    names
      .split(',')
      .map((name) => (isType ? `type ${name.trim()}` : name.trim()))
      .filter((name) => name.startsWith('type ')),
  );
  const declarations = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => `type ${name}`);
  return [...clauses, ...declarations].map((name) => name.slice('type '.length));
}
