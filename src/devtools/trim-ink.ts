/**
 * What the drawing of the terminal UI does without, taken out of its libraries as they are bundled. A change that finds
 * nothing to change fails the build: the library is another then, and each is to be looked at anew.
 */
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

interface Change {
  readonly file: RegExp;
  readonly from: string;
  readonly to: string;
}

const CHANGES: readonly Change[] = [
  {
    // To look whether there is a fetch loads all of it, a tenth of the start. What it would fetch is in the text.
    file: /yoga-layout[\\/]dist[\\/]binaries[\\/]yoga-wasm-base64-esm\.js$/,
    from: 'return w||"function"!=typeof fetch?Promise',
    to: 'return true?Promise',
  },
  {
    // The cells of one style share it, and are seen to do so: sets were made for each cell of the window.
    file: /ansi-tokenize[\\/]build[\\/]styledChars\.js$/,
    from: 'styles: [...codes]',
    to: 'styles: codes',
  },
  {
    file: /ansi-tokenize[\\/]build[\\/]styledChars\.js$/,
    from: 'ret += ansiCodesToString(diffAnsiCodes(chars[i - 1].styles, char.styles));',
    to: `const before = chars[i - 1].styles;
         if (before !== char.styles && (before.length > 0 || char.styles.length > 0))
           ret += ansiCodesToString(diffAnsiCodes(before, char.styles));`,
  },
  {
    // One for all: cells are replaced, never changed.
    file: /ink[\\/]build[\\/]output\.js$/,
    from: `row.push({
                    type: 'char',
                    value: ' ',
                    fullWidth: false,
                    styles: [],
                });`,
    to: `row.push((Output.blank ??= { type: 'char', value: ' ', fullWidth: false, styles: [] }));`,
  },
  {
    // Nothing combines among these characters.
    file: /ansi-tokenize[\\/]build[\\/]tokenize\.js$/,
    from: 'of segmenter.segment(str))',
    to: `of /^[\\x1b -~]*$/.test(str)
           ? Array.from(str, (segment, index) => ({ segment, index }))
           : segmenter.segment(str))`,
  },
];

export const trimInk: Plugin = {
  name: 'trim-ink',
  setup(bundle) {
    const unmade = new Set(CHANGES);
    const filter = new RegExp([...new Set(CHANGES.map(({ file }) => file.source))].join('|'));
    bundle.onLoad({ filter }, ({ path }) => {
      let contents = readFileSync(path, 'utf8');
      for (const change of CHANGES.filter(({ file }) => file.test(path))) {
        if (contents.split(change.from).length !== 2) continue;
        contents = contents.replace(change.from, () => change.to);
        unmade.delete(change);
      }
      return { contents, loader: 'js' };
    });
    bundle.onEnd(() => ({
      errors: [...unmade].map(({ from }) => ({ text: `nothing to trim, or more than one place: ${from}` })),
    }));
  },
};
