// The clients whose connections idle: each subject's own, as a user has them, in a process of their own.
import '@transformation-dev/debug';
import { inTurn } from '@lumenize/hosts/in-turn';
import { answerRequests } from '../load/conversation.ts';
import { watchHealth } from '../load/watch-health.ts';
import { expectAnswer } from '../scenarios/scenario.ts';
import { SUBJECTS } from '../subjects/all.ts';
import type { Connection } from '../subjects/subject.ts';
import type { MemoryRequests } from './requests.ts';

/** How many connections are opened, or asked, at once. */
const AT_ONCE = 50;
const OBJECT = 'idle';

const connections: Connection[] = [];
const health = watchHealth();

answerRequests<MemoryRequests>({
  async open({ url, subject, connections: wanted }) {
    await inTurn(wanted - connections.length, AT_ONCE, async () => {
      const connection = await SUBJECTS[subject].connect(url, OBJECT);
      connections.push(connection);
      expectAnswer('getValue', await connection.getValue(), 0);
    });
    return { connections: connections.length };
  },
  async call() {
    let answered = 0;
    await inTurn(connections.length, AT_ONCE, async (place) => {
      expectAnswer('getValue', await connections[place].getValue(), 0);
      answered++;
    });
    return { answered };
  },
  async load({ forMs }) {
    const end = performance.now() + forMs;
    const counts = await Promise.all(
      connections.map(async (connection) => {
        let calls = 0;
        for (; performance.now() < end; calls++) await connection.increment();
        return calls;
      }),
    );
    const calls = counts.reduce((sum, count) => sum + count, 0);
    expectAnswer('getValue after all increments', await connections[0].getValue(), calls);
    return { calls };
  },
  health: async () => health.end(),
});
