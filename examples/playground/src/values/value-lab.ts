import { RpcObject, RpcTarget } from '@lumenize/rpc/server';

/** Gives values back, to show what arrives of them. */
export class ValueLab extends RpcObject {
  override target(): ValueLabApi {
    return new ValueLabApi();
  }

  /** Here a pattern is only given back: nothing matches with it. */
  override rpcOptions(): { refuse: [] } {
    return { refuse: [] };
  }
}

/** What the value lab may call. */
export class ValueLabApi extends RpcTarget {
  static readonly rpc = { echo: { readOnly: true } };

  /** Returns what it is given. */
  echo<T>(value: T): T {
    return value;
  }
}
