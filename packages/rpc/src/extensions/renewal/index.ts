import type { Extension } from '../../session/extension.ts';
import { Renewal, type Renewed } from './renewal.ts';

/** Shows the server a new token before the old one expires, or where it has, over the connection that there is. */
export const renewal: Extension = {
  name: 'renewal',
  renew: (session: object) => new Renewal(session as Renewed),
};
