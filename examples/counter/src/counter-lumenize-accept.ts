import { CounterLumenize } from './counter-lumenize.ts';

/** The same counter with hibernation off, the socket kind that Cap'n Web uses. */
export class CounterLumenizeAccept extends CounterLumenize {
  override rpcOptions(): { hibernate: false } {
    return { hibernate: false };
  }
}
