/** Whether an object of a text that is JSON has a member twice; parsing would silently keep the last. */
export function repeatedMember(text: string): boolean {
  /** Of each object around: the names so far. Undefined for a list. */
  const around: (Set<string> | undefined)[] = [];
  let isName = false;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\],:]/gs)) {
    const names = around.at(-1);
    if (token === '{') around.push(new Set());
    else if (token === '[') around.push(undefined);
    else if (token === '}' || token === ']') around.pop();
    else if (isName && names !== undefined && token.startsWith('"')) {
      const name = JSON.parse(token) as string;
      if (names.has(name)) return true;
      names.add(name);
    }
    isName = token === '{' || (token === ',' && around.at(-1) !== undefined);
  }
  return false;
}
