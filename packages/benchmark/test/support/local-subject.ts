import type { Connection, Subject } from '../../src/subjects/subject.ts';

/** A counter without a wire, of whose connections `changes` makes some methods anew, each time one is opened. */
export function localSubject(changes: (state: { value: number }) => Partial<Connection> = () => ({})) {
  const state = { value: 0, open: 0, opened: 0 };
  const subject: Subject = {
    name: 'raw',
    carrier: 'socket',
    connect() {
      state.open++;
      state.opened++;
      const connection: Connection = {
        increment: async () => ++state.value,
        getValue: async () => state.value,
        reset: async () => {
          state.value = 0;
        },
        incrementInOneTurn: (n) => Promise.all(Array.from({ length: n }, () => connection.increment())),
        close: () => state.open--,
      };
      return Object.assign(connection, changes(state));
    },
  };
  return { subject, state };
}
