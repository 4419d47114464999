/** Temporary: stands where something is being built. */
export function unbuilt<T extends object>(): T {
  const due = {
    name: 'bank links',
    nextAt: () => undefined,
    pending: () => 0,
    run: () => Promise.resolve(0),
    idle: () => Promise.resolve(),
  };
  return new Proxy({} as T, {
    ownKeys: () => [],
    get: (_, name) =>
      name === 'due'
        ? due
        : (): never => {
            throw new Error(`${String(name)} is not built yet`);
          },
  });
}
