import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

test('README: its first sentence is the description of the package', () => {
  const { description } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    description: string;
  };
  const [, paragraph = ''] = readme.split('\n\n');
  const words = paragraph.replaceAll('`', '').replaceAll(/\s+/g, ' ');
  expect(words.slice(0, words.indexOf('. '))).toBe(`kyclone is ${description.replace(/^A/, 'a')}`);
});

test('README: at most 120 words before the first command', () => {
  const [before = ''] = readme.split('```sh');
  expect(before.match(/\S+/g)?.length).toBeLessThanOrEqual(120);
});
