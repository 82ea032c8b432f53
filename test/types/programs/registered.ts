import { connect } from '@lumenize/rpc';

class Distance {
  readonly metres: number = 0;
  #unit = 'm';
  plus(other: Distance): Distance {
    return this.#unit === 'm' ? other : this;
  }
}

declare module '@lumenize/rpc' {
  interface RegisteredClasses {
    distance: Distance;
  }
}

interface Api {
  length(): Distance;
  legs(from: Distance): Map<string, Distance[]>;
}

/** A class that travels by value, with its methods. */
export async function useRegistered(): Promise<number> {
  using api = connect<Api>('ws://localhost/rpc/api/main');
  const length: Distance = await api.length();
  const legs: Map<string, Distance[]> = await api.legs(length.plus(length));
  return legs.size + (await api.legs(api.length())).size;
}
