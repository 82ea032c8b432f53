import type { BlockTimes } from '../load/block-times.ts';
import type { Subject, SubjectName } from './subject.ts';
import { Unavailable } from './unavailable.ts';

/** Subjects whose client is a Worker. */
export type InWorkerSubject = Extract<SubjectName, 'lumenize-native' | 'native'>;

/** What the Worker is asked to run, as JSON. */
export interface BlockRequest {
  readonly scenario: string;
  readonly subject: InWorkerSubject;
  readonly instance: string;
}

/** What it answers. */
export type BlockReply = BlockTimes | { readonly unavailable: string } | { readonly error: string };

/** Makes a subject whose blocks run within the Worker, beside the object: this process only asks for them. */
export function inWorker(name: InWorkerSubject): Subject {
  return {
    name,
    carrier: 'binding',
    connect() {
      throw new Error(`${name} runs its blocks in the Worker`);
    },
    async runBlock(scenario, baseUrl, instance) {
      const request: BlockRequest = { scenario, subject: name, instance };
      const response = await fetch(`${baseUrl}/run-block`, { method: 'POST', body: JSON.stringify(request) });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      const reply = (await response.json()) as BlockReply;
      if ('unavailable' in reply) throw new Unavailable(reply.unavailable);
      if ('error' in reply) throw new Error(`in the Worker: ${reply.error}`);
      return reply;
    },
  };
}
