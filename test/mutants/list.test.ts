import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BREAKS, broken, countOf, ROOT } from './list.ts';

test.for(BREAKS)('mutants: $file: $breaks', (each) => {
  const text = readFileSync(join(ROOT, each.file), 'utf8');

  expect(countOf(text, each.find), 'how often the text is in the file').toBe(1);
  expect(broken(each, text)).not.toBe(text);
  for (const path of each.tests ?? []) expect(existsSync(join(ROOT, path)), path).toBe(true);
});

test('mutants: each folder of src/ that is shipped has a break', () => {
  const folders = readdirSync(join(ROOT, 'src')).filter((name) => name !== 'devtools');

  expect(new Set(BREAKS.map(({ file }) => file.split('/')[1]))).toEqual(new Set(folders));
});
