/**
 * Finds groups of nodes that reach each other, with one path through each: Tarjan's strongly connected components,
 * then the shortest way back to the first node. A node with an edge to itself is a cycle of one.
 */
export function findCycles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];

  const visit = (node: string): number => {
    const own = order.size;
    order.set(node, own);
    lowest.set(node, own);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) lower(node, visit(next));
      else if (stack.includes(next)) lower(node, order.get(next) ?? own);
    }
    if (lowest.get(node) === own) {
      const component = stack.splice(stack.indexOf(node));
      const isCycle = component.length > 1 || (edges.get(node) ?? []).includes(node);
      if (isCycle) cycles.push(pathAround(component, edges));
    }
    return lowest.get(node) ?? own;
  };
  const lower = (node: string, value: number): void => {
    lowest.set(node, Math.min(lowest.get(node) ?? value, value));
  };

  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return cycles;
}

/** The shortest path from the component's first node back to it; ties follow the order of the edges. */
function pathAround(component: readonly string[], edges: ReadonlyMap<string, readonly string[]>): string[] {
  const [start = ''] = [...component].sort();
  const members = new Set(component);
  const paths: string[][] = [[start]];
  const seen = new Set<string>();
  for (const path of paths) {
    for (const next of edges.get(path.at(-1) ?? start) ?? []) {
      if (next === start) return path;
      if (!members.has(next) || seen.has(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  }
  return [start];
}
