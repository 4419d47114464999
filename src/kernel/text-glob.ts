/** A text pattern: `*` matches any part, also an empty one (contract §4.3). Matching never backtracks. */
export function textGlob(pattern: string): (text: string) => boolean {
  const [head = '', ...others] = pattern.split('*');
  const tail = others.pop();
  if (tail === undefined) return (text) => text === pattern;
  return (text) => {
    const end = text.length - tail.length;
    if (end < head.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
    let at = head.length;
    for (const part of others) {
      // The first match is the best one: it leaves the most text for the parts after it.
      const found = text.indexOf(part, at);
      if (found === -1 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  };
}

/** Whether some text that begins with `prefix` can match the pattern. */
export function mayBeginWith(pattern: string, prefix: string): boolean {
  const star = pattern.indexOf('*');
  if (star === -1) return pattern.startsWith(prefix);
  const head = pattern.slice(0, star);
  return head.startsWith(prefix) || prefix.startsWith(head);
}
