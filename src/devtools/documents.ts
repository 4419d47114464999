/** The generated blocks of the documents, between `<!-- generated:NAME -->` and `<!-- /generated -->`. */
import { KEY_MAP } from '../tui/state/key-map.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS, type ErrorEntry } from '../contract/errors.ts';
import { permissionOfRoute } from '../contract/facts/route-permissions.ts';
import { endpoints, splitKey, type EndpointKey } from '../contract/registry.ts';

const BLOCKS: Readonly<Record<string, () => string>> = {
  endpoints: endpointsMarkdown,
  errors: () => errorsMarkdown(ERRORS),
  recipe: () => fileMarkdown('test/recipes/vitest/sign-up.test.js', 'js'),
  'bank-recipe': () => fileMarkdown('test/recipes/playwright/bank.test.js', 'js'),
  'page-recipe': () => fileMarkdown('test/recipes/playwright/onboarding.test.js', 'js'),
  keys: keysMarkdown,
};
/** The generated blocks of each document. */
export const DOCUMENTS: Readonly<Record<string, readonly string[]>> = {
  'docs/reference.md': ['endpoints', 'errors'],
  'docs/test-library.md': ['recipe'],
  'docs/hosted.md': ['page-recipe', 'bank-recipe'],
  'docs/terminal-ui.md': ['keys'],
};
/** The document with a table that names every shipped package. */
export const PACKAGES_DOCUMENT = 'docs/dependencies.md';
const ROOT = join(import.meta.dirname, '..', '..');
const BLOCK = /<!-- generated:([a-z-]+) -->\n([\s\S]*?)<!-- \/generated -->/g;

/** The document at `path` with fresh blocks; no content if a marker names an unknown block. */
export function withBlocks(path: string, written: string): { content?: string; problems: readonly string[] } {
  const found = [...written.matchAll(BLOCK)].map(([, name = '']) => name);
  const missing = (DOCUMENTS[path] ?? []).filter((name) => !found.includes(name));
  const unknown = found.filter((name) => !Object.hasOwn(BLOCKS, name));
  const problems = [
    ...missing.map(
      (name) => `${path}: the block <!-- generated:${name} --> … <!-- /generated --> is missing`,
    ),
    ...unknown.map((name) => `${path}: nothing generates the block ${name}`),
  ];
  if (unknown.length > 0) return { problems };
  const content = written.replace(
    BLOCK,
    (_, name: string) => `<!-- generated:${name} -->\n\n${BLOCKS[name]?.() ?? ''}\n\n<!-- /generated -->`,
  );
  return { content, problems };
}

/** Packages that no table row of the document names in backticks. */
export function missingPackages(document: string, packages: readonly string[]): string[] {
  const rows = document.split('\n').filter((line) => line.trimStart().startsWith('|'));
  return packages.filter((name) => !rows.some((row) => row.includes(`\`${name}\``)));
}

/** Includes a whole file of the repository, so that the page shows exactly what the tests run. */
function fileMarkdown(path: string, language: string): string {
  return `\`\`\`${language}\n${readFileSync(join(ROOT, path), 'utf8').trimEnd()}\n\`\`\``;
}

function endpointsMarkdown(): string {
  return markdownTable(
    ['Endpoint', 'Credential', 'Stability', 'What it does'],
    endpoints.map((endpoint) => {
      const { method, path } = splitKey(endpoint.key);
      return [`\`${method} ${path}\``, credential(endpoint), endpoint.stability, endpoint.summary];
    }),
  );
}

function credential({ key, auth }: (typeof endpoints)[number]): string {
  switch (auth.kind) {
    case 'open':
      return 'none';
    case 'flow':
      return 'token of a hosted flow';
    case 'control':
      return 'control token';
    case 'token':
      return withNeeds(auth.place === 'path' ? 'path token' : 'token', auth.may);
    case 'key':
      return withNeeds('key', auth.scope, auth.permission) + toReplace(key);
  }
}

function toReplace(key: EndpointKey): string {
  const permission = permissionOfRoute(key)?.toReplace;
  return permission === undefined ? '' : `, \`${permission}\` to replace values`;
}

function withNeeds(credential: string, ...needs: readonly (string | undefined)[]): string {
  const named = needs.filter((need) => need !== undefined);
  return [credential, ...named.map((need) => `\`${need}\``)].join(', ');
}

/** The error table of contract §12, for the codes that this version returns. */
export function errorsMarkdown(errors: Readonly<Record<string, ErrorEntry>>): string {
  return markdownTable(
    ['Code', 'Status', 'Category', 'Meaning', 'Hint'],
    Object.entries(errors).map(([code, { status, category, meaning, hint }]) => [
      `\`${code}\``,
      String(status),
      category,
      meaning,
      hint ?? '',
    ]),
  );
}

function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The keys of `kyclone inspect`, one row for each group. */
export function keysMarkdown(): string {
  const groups = [...new Set(KEY_MAP.map(({ group }) => group))];
  const rows = groups.map((group) => {
    const keys = KEY_MAP.filter((binding) => binding.group === group).map(
      ({ keys: [first = ''], says }) => `\`${first === '|' ? '\\|' : first}\` ${says}`,
    );
    return `| ${group} | ${keys.join('<br>')} |`;
  });
  return ['| | Keys |', '|---|---|', ...rows].join('\n');
}
