import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endpoints } from '../../src/contract/registry.ts';
import { PRIVATE_PURPOSES } from '../../src/vault/private-values.ts';
import { ROOT } from '../support/root.ts';

const contract = readFileSync(join(ROOT, 'docs/contract.md'), 'utf8');
const sections = new Map(
  contract.split(/^(?=##+ )/m).map((text) => [/^#+ ([\d.]+)/.exec(text)?.[1] ?? '', text] as const),
);
/** What holds for every endpoint: the conventions, and how the two parts of tables begin. */
const forAll = [...sections]
  .filter(([number]) => /^(?:0\.\d+|10|11)$/.test(number))
  .map(([, text]) => text.replaceAll(/^\|.*/gm, ''))
  .join('\n');

/** The rows, sections and paragraphs that name one of these paths, written as the contract writes it. */
function placesOf(paths: readonly string[]): string[] {
  const names = paths.map((path) => path.replaceAll(/[.?*+^$(){}|[\]\\]/g, String.raw`\$&`)).join('|');
  const naming = new RegExp(`(?<![\\w/}])(?:${names})(?![\\w{]|/[\\w{])`);
  return [...sections.values()].flatMap((section) => {
    const lines = section.split('\n').filter((line) => naming.test(line));
    return lines.some((line) => line.startsWith('#')) ? [section] : lines;
  });
}

/** What the contract writes in code where it describes an endpoint: there, and where it refers to from there. */
function wordsAbout(path: string): ReadonlySet<string> {
  const near = placesOf([
    path,
    path.replace('/_kyclone/', ''),
    path.replace(/^\/(?:users\/\{fp_id\}|businesses\/\{fp_bid\})(?=\/)/, 'E'),
    path.replace(/^\/.*?\{\w+\}(?=\/)/, '…'),
  ]);
  const referred = (texts: string[]) =>
    texts
      .flatMap((text) => [...text.matchAll(/(?:§|\bas )((?!1[01]\b)\d+(?:\.\d+)?)|\bas (\/[\w/]+)/gi)])
      .flatMap(([, number = '', other]) => (other ? placesOf([other]) : [sections.get(number) ?? '']));
  const once = referred(near);
  const text = [forAll, ...near, ...once, ...referred(once)].join('\n');
  return new Set((text.match(/```[\s\S]*?```|`[^`\n]+`/g) ?? []).join(' ').match(/\w+/g));
}

const membersOf = (schema: unknown) =>
  Object.keys((schema as { properties?: object } | undefined)?.properties ?? {});

// The script of the hosted pages is the only client of the others.
const documented = endpoints.filter(({ key }) => !key.includes(' /hosted/session/'));

test('contract: docs/contract.md names the members of a body and a query where it describes their endpoint', () => {
  const members = documented.flatMap(({ key, body, query }) => {
    const words = wordsAbout(key.slice(key.indexOf(' ') + 1));
    return [body, query]
      .flatMap(membersOf)
      .map((name) => ({ key, name, isNamed: (name.match(/\w+/g) ?? []).every((word) => words.has(word)) }));
  });
  expect(members.length).toBeGreaterThan(300);
  const unnamed = members.filter(({ isNamed }) => !isNamed).map(({ key, name }) => `${key} ${name}`);
  expect(
    unnamed,
    'describe it in docs/contract.md, in backticks, where its endpoint is, or in the section named there',
  ).toEqual([]);
});

test('docs/keys-and-data.md names what is sealed row by row', () => {
  const page = readFileSync(join(ROOT, 'docs/keys-and-data.md'), 'utf8').replaceAll(/\s+/g, ' ');
  expect(PRIVATE_PURPOSES.filter((purpose) => !page.includes(`_${purpose}_`))).toEqual([]);
});
