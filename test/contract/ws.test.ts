import { connect } from '@lumenize/rpc';
import { connectSocket, SUBPROTOCOL, serveSocket } from '@lumenize/rpc/socket';
import { afterAll, beforeAll } from 'vitest';
import { WebSocket } from 'ws';
import { type ServedWs, serveWs } from '../support/serve-ws.ts';
import { contract } from './contract.ts';
import { ContractTarget } from './contract-target.ts';

let server: ServedWs;

beforeAll(async () => {
  server = await serveWs((socket) => serveSocket(socket, new ContractTarget()));
});
afterAll(() => server?.[Symbol.asyncDispose]());

contract("sockets of 'ws' at both ends", (given) =>
  connectSocket<ContractTarget>(() => new WebSocket(server.url, [SUBPROTOCOL]), given as never),
);
contract("a socket to a server of 'ws'", (given) => connect<ContractTarget>(server.url, given as never));
