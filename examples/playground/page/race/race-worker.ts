import { servePort } from '@lumenize/rpc/port';
import { CountedWebSocket } from './counted-web-socket.ts';
import { Racer } from './racer.ts';

// This Worker's own: both libraries take the class from here when they connect.
globalThis.WebSocket = CountedWebSocket;

servePort(self, new Racer());
