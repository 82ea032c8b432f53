import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectFolder } from '../support/serve-counter.ts';

/** What an entry gives its users; whoever adds to it adds it here, and means to keep it. */
interface Entry {
  readonly source: string;
  /** Undefined where it can be loaded in the Workers runtime only. */
  readonly load: (() => Promise<object>) | undefined;
  readonly values: readonly string[];
  readonly types: readonly string[];
}

// The codec, of which protocols import more.
const CODEC_VALUES = ['CloneError', 'decode', 'encode', 'parse', 'readBodies', 'register', 'stringify'];
const CODEC_TYPES = [
  'Bodies',
  'ClassCodec',
  'CloneErrorCode',
  'DecodeOptions',
  'EncodeOptions',
  'Extension',
  'Limits',
  'Message',
];

// What compilers write into the declarations of projects that connect, which have to find it where they connect.
const STUB_TYPES = ['Received', 'Recorded', 'Remote', 'RemoteMembers', 'RemotePromise', 'Sent', 'Stub'];

/** Packages for frameworks, and what each is for. */
const FRAMEWORKS: Readonly<Record<string, readonly string[]>> = {
  capnweb: ['capnweb'],
  react: ['react'],
  vue: ['vue'],
  svelte: ['svelte'],
  solid: ['solid-js'],
  'tanstack-query': ['@tanstack/query-core'],
};
const ADAPTERS = Object.keys(FRAMEWORKS).filter((name) => name !== 'capnweb');
// What all adapters of frameworks have.
const HOOKS = ['useCall', 'useConnectionState', 'useRpc', 'useSubscription'];
const VIEWS = ['CallView', 'ConnectionStatus', 'Key', 'SubscriptionView', 'UseCallOptions', 'UseSubscriptionOptions'];

const ENTRIES: Readonly<Record<string, Entry>> = {
  '@lumenize/rpc': {
    source: 'packages/rpc/src/index.ts',
    load: () => import('@lumenize/rpc'),
    values: [
      'RPC_ERROR_CODES',
      'RpcError',
      'RpcTarget',
      'connect',
      'connectOver',
      'connection',
      'placeOf',
      'withOptions',
    ],
    types: [
      'BackoffOptions',
      'CallOptions',
      'ConnectOptions',
      'Connection',
      'ConnectionState',
      'ConnectionStatistics',
      'HeartbeatOptions',
      'Message',
      'OpenTransport',
      'PeerLimits',
      'Position',
      'RegisteredClasses',
      'RpcErrorCode',
      'StubPlace',
      'SubscribeOptions',
      'Subscription',
      'TargetMark',
      'TopicItem',
      'Transport',
      'TransportEvents',
      ...STUB_TYPES,
    ],
  },
  '@lumenize/rpc/core': {
    source: 'packages/rpc/src/core.ts',
    load: () => import('@lumenize/rpc/core'),
    values: [
      'RPC_ERROR_CODES',
      'RpcError',
      'RpcTarget',
      'allTypes',
      'connect',
      'connectOver',
      'connection',
      'mapping',
      'references',
      'streams',
      'subscriptions',
      'withOptions',
    ],
    types: [
      'ConnectOptions',
      'ConnectWithOptions',
      'Connection',
      'OpenTransport',
      'Part',
      'Received',
      'Recorded',
      'Remote',
      'RemoteMembers',
      'RemotePromise',
      'RpcErrorCode',
      'Sent',
      'Stub',
      'Transport',
      'TransportEvents',
    ],
  },
  '@lumenize/rpc/server': {
    source: 'packages/rpc/src/server.ts',
    load: () => import('@lumenize/rpc/server'),
    values: [
      'RPC_ERROR_CODES',
      'RpcEntrypoint',
      'RpcError',
      'RpcObject',
      'RpcServer',
      'RpcTarget',
      'callContext',
      'createRpcServer',
      'expiring',
      'routeRpc',
      'serveOver',
      'serveRpc',
    ],
    types: [
      'ApiOf',
      'CallContext',
      'Caller',
      'ConnectedCaller',
      'CreateRpcServerOptions',
      'Credentials',
      'DisconnectListener',
      'EpochRun',
      'Expiring',
      'MethodOptions',
      'Methods',
      'Position',
      'RateLimit',
      'RateLimits',
      'Resumed',
      'RouteRpcOptions',
      'RpcErrorCode',
      'RpcMetrics',
      'RpcServerOptions',
      'ServeOptions',
      'ServeRpcOptions',
      'Served',
      'ServerLimits',
      'ServerOptions',
      'SessionCounts',
      'StandardSchema',
      'StoredResultsOptions',
      'SubscribeOptions',
      'SubscribedTopic',
      'Subscription',
      'Topic',
      'TopicItem',
      'TopicJournal',
      'TopicOptions',
      'Transport',
      'TurnEvents',
      ...STUB_TYPES,
    ],
  },
  '@lumenize/rpc/adapter': {
    source: 'packages/rpc/src/adapter.ts',
    load: () => import('@lumenize/rpc/adapter'),
    values: [
      'AdaptedSession',
      'closeCodeOf',
      'closeReason',
      'declaredMember',
      'encode',
      'isForbidden',
      'isNativeStub',
      'isPlainData',
      'isSubscription',
      'isTarget',
      'malformed',
      'parse',
      'readBody',
      'refusal',
      'refuse',
      'stringify',
    ],
    types: ['Answer', 'CallOut', 'OtherProtocol', 'OutsidePlace', 'ServerSettings', 'SessionHost'],
  },
  '@lumenize/rpc/observe': {
    source: 'packages/rpc/src/observe/index.ts',
    load: () => import('@lumenize/rpc/observe'),
    values: ['countCalls', 'forwardTraces', 'logCalls', 'observeCalls', 'workersSpans'],
    types: [
      'CallCounter',
      'CallLine',
      'CallLogger',
      'CallTotals',
      'CallWatch',
      'DurationTotals',
      'LogOptions',
      'ObserveCall',
      'ObservedCall',
      'ObservedEnd',
      'Observer',
      'WorkersSpan',
      'WorkersTracing',
    ],
  },
  '@lumenize/rpc/opentelemetry': {
    source: 'packages/rpc/src/opentelemetry.ts',
    load: () => import('@lumenize/rpc/opentelemetry'),
    values: ['traceCalls'],
    types: ['OpenTelemetry', 'SpanAttributes', 'SpanIdentity', 'SpanTracer', 'TraceOptions', 'TracedSpan'],
  },
  '@lumenize/rpc/http': {
    source: 'packages/rpc/src/http.ts',
    load: () => import('@lumenize/rpc/http'),
    values: ['connectHttp'],
    types: ['ConnectHttpOptions', ...STUB_TYPES],
  },
  '@lumenize/rpc/port': {
    source: 'packages/rpc/src/port.ts',
    load: () => import('@lumenize/rpc/port'),
    values: ['RpcTarget', 'connectPort', 'servePort'],
    types: ['ConnectPortOptions', 'PortLike', 'PortOptions', 'ServePortOptions', ...STUB_TYPES],
  },
  '@lumenize/rpc/socket': {
    source: 'packages/rpc/src/socket.ts',
    load: () => import('@lumenize/rpc/socket'),
    values: ['RpcTarget', 'SUBPROTOCOL', 'connectSocket', 'serveSocket'],
    types: ['ConnectOptions', 'Listenable', 'ServeOptions', 'ServedSocket', 'SocketLike', ...STUB_TYPES],
  },
  '@lumenize/rpc/binding': {
    source: 'packages/rpc/src/binding.ts',
    load: () => import('@lumenize/rpc/binding'),
    values: ['connectBinding'],
    types: ['ConnectBindingOptions', ...STUB_TYPES],
  },
  '@lumenize/rpc/memory': {
    source: 'packages/rpc/src/memory.ts',
    load: () => import('@lumenize/rpc/memory'),
    values: ['RpcTarget', 'connectInMemory'],
    types: ['ConnectOptions', 'ServeOptions', ...STUB_TYPES],
  },
  '@lumenize/rpc/testing': {
    source: 'packages/rpc/src/testing/index.ts',
    load: () => import('@lumenize/rpc/testing'),
    values: ['RpcTarget', 'TestNetwork', 'testConnection'],
    types: ['Direction', 'HeldFrames', 'RecordedFrame', 'TestConnection', 'TestConnectionOptions', ...STUB_TYPES],
  },
  '@lumenize/rpc/testing/workers': {
    source: 'packages/rpc/src/testing/workers/index.ts',
    load: undefined,
    values: ['connectToObject', 'connectToWorker', 'crash', 'hibernate', 'openObject', 'restart'],
    types: ['ConnectToObjectOptions', 'Fetches', 'ObjectOf', 'Opened', ...STUB_TYPES],
  },
  '@lumenize/inspect': {
    source: 'packages/inspect/src/index.ts',
    load: () => import('@lumenize/inspect'),
    values: [
      'ByReference',
      'describeFrame',
      'describeTarget',
      'fetchDescription',
      'formatFrame',
      'formatValue',
      'recordFrames',
    ],
    types: [
      'DescribedAgain',
      'DescribedAnswer',
      'DescribedCall',
      'DescribedCallback',
      'DescribedCalls',
      'DescribedEvents',
      'DescribedOperation',
      'DescribedSignal',
      'Direction',
      'FetchDescriptionOptions',
      'FrameContent',
      'FrameDescription',
      'MemberDescription',
      'RecordedFrame',
      'ReferenceKind',
      'TargetDescription',
      'TopicPosition',
    ],
  },
  '@lumenize/capnweb': {
    source: 'packages/capnweb/src/index.ts',
    load: () => import('@lumenize/capnweb'),
    values: ['capnWeb'],
    types: ['CapnWebOptions', 'OtherProtocol'],
  },
  '@lumenize/stores': {
    source: 'packages/stores/src/index.ts',
    load: () => import('@lumenize/stores'),
    values: ['callStore', 'keyText', 'optionsKey', 'placeOf', 'stateStore', 'stubStore', 'subscriptionStore'],
    types: ['CallStore', 'StubStore', 'Store', 'Subscribe', 'SubscriptionStore', ...VIEWS],
  },
  '@lumenize/state': {
    source: 'packages/state/src/index.ts',
    load: () => import('@lumenize/state'),
    values: ['change', 'follow'],
    types: [
      'Draft',
      'Fields',
      'Follow',
      'FollowOptions',
      'Identified',
      'OpenState',
      'RecordTypes',
      'StateChange',
      'StateStatus',
      'StateStore',
      'Unsaved',
      'Values',
    ],
  },
  '@lumenize/state/server': {
    source: 'packages/state/src/server.ts',
    load: () => import('@lumenize/state/server'),
    values: ['State', 'collection'],
    types: [
      'Collection',
      'CollectionOptions',
      'CollectionsOf',
      'Fields',
      'Follow',
      'Identified',
      'RecordTypes',
      'StateChange',
      'StateHost',
      'StateOptions',
      'View',
    ],
  },
  '@lumenize/state/react': {
    source: 'packages/state/src/react.ts',
    load: () => import('@lumenize/state/react'),
    values: ['useFollow', 'usePresence', 'useRecord', 'useRecords', 'useStatus', 'useUnsaved'],
    types: [],
  },
  '@lumenize/state/presence': {
    source: 'packages/state/src/presence/index.ts',
    load: () => import('@lumenize/state/presence'),
    values: ['byPerson', 'presenceStore'],
    types: ['Member', 'PresenceStore', 'PresenceTarget', 'PresenceView'],
  },
  '@lumenize/state/presence/server': {
    source: 'packages/state/src/presence/server.ts',
    load: () => import('@lumenize/state/presence/server'),
    values: ['presence'],
    types: ['Presence', 'PresenceOptions', 'PresenceTarget'],
  },
  '@lumenize/state/uploads': {
    source: 'packages/state/src/uploads/index.ts',
    load: () => import('@lumenize/state/uploads'),
    values: ['upload'],
    types: ['UploadOptions', 'UploadTarget', 'UploadedFile'],
  },
  '@lumenize/state/uploads/server': {
    source: 'packages/state/src/uploads/server.ts',
    load: () => import('@lumenize/state/uploads/server'),
    values: ['Uploads'],
    types: ['Begun', 'Description', 'UploadTarget', 'UploadedFile', 'UploadsOptions'],
  },
  '@lumenize/react': {
    source: 'packages/react/src/index.ts',
    load: () => import('@lumenize/react'),
    values: HOOKS,
    types: VIEWS,
  },
  '@lumenize/vue': {
    source: 'packages/vue/src/index.ts',
    load: () => import('@lumenize/vue'),
    values: HOOKS,
    types: VIEWS,
  },
  '@lumenize/svelte': {
    source: 'packages/svelte/src/index.ts',
    load: () => import('@lumenize/svelte'),
    values: HOOKS,
    types: VIEWS,
  },
  '@lumenize/solid': {
    source: 'packages/solid/src/index.ts',
    load: () => import('@lumenize/solid'),
    values: HOOKS,
    types: VIEWS,
  },
  '@lumenize/tanstack-query': {
    source: 'packages/tanstack-query/src/index.ts',
    load: () => import('@lumenize/tanstack-query'),
    values: ['invalidateOn', 'rpcKey', 'rpcMutation', 'rpcQuery'],
    types: ['Changed', 'RpcMutationOptions', 'RpcQueryOptions'],
  },
  '@lumenize/structured-clone/messages': {
    source: 'packages/structured-clone/src/messages.ts',
    load: () => import('@lumenize/structured-clone/messages'),
    values: [
      ...CODEC_VALUES,
      'all',
      'checkText',
      'common',
      'fromMessage',
      'isMarked',
      'read',
      'resolveLimits',
      'toMessage',
      'write',
    ],
    types: [...CODEC_TYPES, 'Reading', 'Types', 'Writing'],
  },
  '@lumenize/structured-clone': {
    source: 'packages/structured-clone/src/index.ts',
    load: () => import('@lumenize/structured-clone'),
    values: CODEC_VALUES,
    types: CODEC_TYPES,
  },
};

describe.each(Object.entries(ENTRIES))('%s', (_name, { source, load, values, types }) => {
  const named = exportsNamed(readFileSync(join(projectFolder, source), 'utf8'));

  test('exports these values and no others', async () => {
    const found = load === undefined ? named.values : Object.keys(await load());
    expect(found.toSorted()).toEqual([...values].sort());
  });

  test('exports these types and no others', () => {
    expect(named.types.toSorted()).toEqual([...types].sort());
  });
});

describe('the published packages', () => {
  const manifests = ['structured-clone', 'rpc', 'inspect', 'capnweb', 'stores', 'state', ...ADAPTERS].map((folder) =>
    JSON.parse(readFileSync(join(projectFolder, 'packages', folder, 'package.json'), 'utf8')),
  );
  const names = manifests.map(({ name }) => name);

  test('are these, and every entry of theirs is above', () => {
    const entries = manifests.flatMap(({ name, exports }) => Object.keys(exports).map((path) => name + path.slice(1)));
    expect(entries.sort()).toEqual(Object.keys(ENTRIES).sort());
  });

  test.each(manifests.map((manifest) => [manifest.name, manifest]))(
    '%s needs nothing at run time but the others, and what its users may have',
    (name, { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {}, ...others }) => {
      expect(Object.keys(dependencies).filter((dependency) => !names.includes(dependency))).toEqual([]);
      // Of an adapter its framework.
      const needed = Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional);
      expect(needed).toEqual(FRAMEWORKS[name.replace('@lumenize/', '')] ?? []);
      expect([others.optionalDependencies, others.bundledDependencies]).toEqual([undefined, undefined]);
    },
  );
});

/** Finds what an entry names; an entry names every export, which the first check makes sure of. */
function exportsNamed(text: string): { values: string[]; types: string[] } {
  expect(text).not.toMatch(/^export \*/m);
  const clauses = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, isType, names]) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => (isType ? `type ${name}` : name)),
  );
  const declarations = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => `type ${name}`);
  const isType = (name: string) => name.startsWith('type ');
  return {
    values: clauses.filter((name) => !isType(name)),
    types: [...clauses, ...declarations].filter(isType).map((name) => name.slice('type '.length)),
  };
}
