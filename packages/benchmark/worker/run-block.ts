import { connectBinding } from '@lumenize/rpc/binding';
import { runBlock } from '../src/blocks/block.ts';
import { WARM_UP } from '../src/scenarios/counter.ts';
import { carrierScenarios } from '../src/scenarios/turns.ts';
import {
  type BlockReply,
  type BlockRequest,
  connectionOf,
  type Subject,
  Unavailable,
} from '../src/subjects/subject.ts';

/** A Worker's clock counts whole milliseconds, of which a usual block has two or three. */
const TIMES = 25;
const HERE = 'in this Worker';
const LONGER = new Map(carrierScenarios(TIMES).map((scenario) => [scenario.name, scenario]));

/**
 * Runs a block of a subject whose client is this Worker, `TIMES` as long as usual, and answers with the time of a usual
 * one; its only sample is the mean.
 */
export async function answerBlock(request: Request, objects: DurableObjectNamespace): Promise<Response> {
  const { scenario: name, subject, instance }: BlockRequest = await request.json();
  let reply: BlockReply;
  try {
    reply = await longBlock(name, clientIn(subject, objects), instance);
  } catch (error) {
    reply = error instanceof Unavailable ? { unavailable: error.message } : { error: stackOf(error) };
  }
  return Response.json(reply);
}

async function longBlock(name: string, subject: Subject, instance: string): Promise<BlockReply> {
  if (name === WARM_UP.name) return runBlock(WARM_UP, subject, HERE, instance);
  const scenario = LONGER.get(name);
  if (!scenario) throw new Unavailable(`no Worker makes the calls of ${name} yet`);
  const { totalMs } = await runBlock(scenario, subject, HERE, instance);
  return { totalMs: totalMs / TIMES, samplesMs: [totalMs / scenario.operations] };
}

function clientIn(name: BlockRequest['subject'], objects: DurableObjectNamespace): Subject {
  return {
    name,
    carrier: 'binding',
    async connect(_baseUrl, instance) {
      const object = objects.get(objects.idFromName(instance));
      if (name === 'native') return connectionOf(object, () => {});
      const stub = connectBinding(object);
      return connectionOf(stub, () => stub[Symbol.dispose]());
    },
  };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
