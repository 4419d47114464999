/** The code blocks of a page of the documentation, and what the page shows below its commands. */

export interface Command {
  readonly text: string;
  /** What the page shows below the command. */
  readonly shown: readonly string[];
}

/** Returns the blocks, each with the word after its fence, such as `console`. */
export function blocksOf(page: string) {
  return [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

/** The commands of a `console` block. A command begins with `$ `, and continues after a line that ends with `\`. */
export function commandsOf(block: string): Command[] {
  const commands: { text: string; shown: string[] }[] = [];
  for (const line of block.trimEnd().split('\n')) {
    const last = commands.at(-1);
    if (line.startsWith('$ ')) commands.push({ text: line.slice(2), shown: [] });
    else if (last?.text.endsWith('\\') === true && last.shown.length === 0) last.text += `\n${line}`;
    else last?.shown.push(line);
  }
  return commands;
}

/** Ids, times and ports, which differ from those on the page. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\b(fp_id|key)_\w{22}\b/g, '$1_ID'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME'],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT'],
];

/** The text with a word in place of each id, time and port. */
export function withoutVarying(text: string): string {
  return VARYING.reduce((before, [pattern, word]) => before.replace(pattern, word), text);
}

/** Matches the output, without what varies, that the page shows. `[…]` stands for lines that are left out. */
export function outputPattern(shown: readonly string[]): RegExp {
  const lines = shown.map((line) =>
    line === '[…]' ? '(?:.*\\n)*' : `${withoutVarying(line).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}\\n`,
  );
  return new RegExp(`^${lines.join('')}$`);
}
