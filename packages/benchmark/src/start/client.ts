// The client that starts, wakes and reconnects, in a process of its own.
import '@transformation-dev/debug';
import { answerRequests } from '../load/conversation.ts';
import { watchHealth } from '../load/watch-health.ts';
import { expectAnswer } from '../scenarios/scenario.ts';
import { SUBJECTS } from '../subjects/all.ts';
import { lumenizeAt } from '../subjects/lumenize-at.ts';
import type { Connection } from '../subjects/subject.ts';
import { Callers, now } from './callers.ts';
import { timeNewSession, timeResumed } from './cuts.ts';
import type { StartRequests } from './requests.ts';

const health = watchHealth();
const held = new Map<string, Connection[]>();
let callers: Callers | undefined;

answerRequests<StartRequests>({
  async firstCall({ url, subject }) {
    const connection = await SUBJECTS[subject].connect(url, 'first');
    expectAnswer('getValue', await connection.getValue(), 0);
    return { answeredAt: now() };
  },
  async hold({ url, subject, arm, objects }) {
    const connections: Connection[] = [];
    for (let i = 0; i < objects; i++) {
      const connection = await SUBJECTS[subject].connect(url, `${arm}-${i}`);
      expectAnswer('getValue', await connection.getValue(), 0);
      connections.push(connection);
    }
    held.set(arm, connections);
    return {};
  },
  async wake({ arm }) {
    const samplesMs: number[] = [];
    for (const connection of held.get(arm)!) {
      const begun = performance.now();
      expectAnswer('getValue', await connection.getValue(), 0);
      samplesMs.push(performance.now() - begun);
    }
    return { samplesMs };
  },
  resume: async ({ url, subject, times }) => ({ samplesMs: await timeResumed(SUBJECTS[subject], url, times) }),
  newSession: async ({ url, subject, times }) => ({ samplesMs: await timeNewSession(SUBJECTS[subject], url, times) }),
  async callers({ url, subject, clients, once }) {
    const called = once ? lumenizeAt(subject, 'counter-once') : SUBJECTS[subject];
    callers = new Callers(called, url, clients, subject.startsWith('lumenize'));
    await callers.answered();
    return {};
  },
  finish: ({ endedAt, newAt }) => callers!.finish(endedAt, newAt),
  health: async () => health.end(),
});
