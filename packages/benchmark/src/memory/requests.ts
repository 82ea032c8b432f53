import type { ClientHealth } from '../load/plan.ts';
import type { SubjectName } from '../subjects/subject.ts';

/** What the client of the family *memory* is asked to do, and what it says then. */
export interface MemoryRequests {
  /** Opens connections to one object until there are `connections`, each of which has made a call then. */
  readonly open: {
    readonly asks: { readonly url: string; readonly subject: SubjectName; readonly connections: number };
    readonly replies: { readonly connections: number };
  };
  /** Has each connection make a call, whose answer is looked at. */
  readonly call: { readonly asks: object; readonly replies: { readonly answered: number } };
  /** Has each connection make one call after the other for `forMs`, writes of one counter, whose sum is looked at. */
  readonly load: { readonly asks: { readonly forMs: number }; readonly replies: { readonly calls: number } };
  readonly health: { readonly asks: object; readonly replies: ClientHealth };
}
