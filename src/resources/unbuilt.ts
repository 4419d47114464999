/** Stands in for a part while the others are built; gone when all are. */
export function unbuilt<T extends object>(parts: Partial<T> = {}): T {
  return new Proxy(parts as T, {
    get: (target, name) =>
      Reflect.get(target, name) ??
      (() => {
        throw new Error(`${String(name)} is not built yet`);
      }),
  });
}
