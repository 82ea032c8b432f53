// The clients whose connections idle: each subject's own, as a user has them, in a process of their own.
import { inTurn } from '@lumenize/hosts/in-turn';
import { expectAnswer } from '../../scenarios/scenario.ts';
import { SUBJECTS } from '../../subjects/all.ts';
import type { Connection, SubjectName } from '../../subjects/subject.ts';

/** How many connections are opened, or asked, at once. */
const AT_ONCE = 50;
const OBJECT = 'idle';

const open: Connection[] = [];

/** Opens connections to one object until there are `connections`, each of which has made a call then. */
export async function connect(asked: { url: string; subject: SubjectName; connections: number }): Promise<void> {
  await inTurn(asked.connections - open.length, AT_ONCE, async () => {
    const connection = await SUBJECTS[asked.subject].connect(asked.url, OBJECT);
    open.push(connection);
    expectAnswer('getValue', await connection.getValue(), 0);
  });
}

/** Has each connection make a call; resolves with how many were answered. */
export async function callAll(): Promise<number> {
  let answered = 0;
  await inTurn(open.length, AT_ONCE, async (place) => {
    expectAnswer('getValue', await open[place].getValue(), 0);
    answered++;
  });
  return answered;
}

/** Has each connection increment one counter, one call after the other; resolves with the number of calls, which is what the counter reads. */
export async function increment({ forMs }: { forMs: number }): Promise<number> {
  const end = performance.now() + forMs;
  let calls = 0;
  await Promise.all(
    open.map(async (connection) => {
      for (; performance.now() < end; calls++) await connection.increment();
    }),
  );
  expectAnswer('getValue after all increments', await open[0].getValue(), calls);
  return calls;
}
