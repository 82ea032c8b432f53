import type { ConnectOptions } from '@lumenize/rpc';
import { useEffect, useMemo } from 'preact/hooks';
import type { CableEvents } from './cable.ts';
import { openConnection, type PageConnection } from './page-connection.ts';

/** The connection of a component, for as long as that is on the page. The options of the first time count. */
export function useConnection<Api extends object>(
  binding: string,
  name: string,
  options?: ConnectOptions & CableEvents,
): PageConnection<Api> {
  const opened = useMemo(() => openConnection<Api>(binding, name, options), [binding, name]);
  useEffect(() => opened.close, [opened]);
  return opened;
}
