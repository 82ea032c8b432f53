/** The part of the class `AsyncLocalStorage` of Node and Workers that is used here. */
export interface AsyncStorage<Store> {
  run<Result>(store: Store, run: () => Result): Result;
  getStore(): Store | undefined;
}

/** The class itself. */
export type AsyncStorageClass = new <Store>() => AsyncStorage<Store>;
