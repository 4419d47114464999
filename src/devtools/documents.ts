/** The generated documents: docs/commands.md, and blocks of others from `<!-- generated:NAME -->` on. */
import { DRY_RUN_FLAGS, mayRunDry } from '../cli/shell/dry-run-commands.ts';
import { KEY_MAP } from '../tui/state/key-map.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS, type ErrorEntry } from '../contract/errors.ts';
import { permissionOfRoute } from '../contract/facts/route-permissions.ts';
import { endpoints, splitKey, type EndpointKey } from '../contract/registry.ts';
import type { CommandManifest, ManifestArgument, ManifestFlag } from './command-surface.ts';
import type { Topics } from './completions/files.ts';

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
function keysMarkdown(): string {
  const groups = [...new Set(KEY_MAP.map(({ group }) => group))];
  const rows = groups.map((group) => {
    const keys = KEY_MAP.filter((binding) => binding.group === group).map(
      ({ keys: [first = ''], says }) => `\`${first === '|' ? '\\|' : first}\` ${says}`,
    );
    return `| ${group} | ${keys.join('<br>')} |`;
  });
  return ['| | Keys |', '|---|---|', ...rows].join('\n');
}

// Writes docs/commands.md from oclif's manifest: every command with its arguments, its flags and an example.

export const COMMANDS_DOCUMENT = 'docs/commands.md';

type Command = CommandManifest['commands'][string];
type Flag = ManifestFlag & { readonly name: string };

/** Flags that so many commands have are explained once. */
const SHARED_BY = 10;
/** A command that has so many flags of an earlier one refers to it. */
const ALIKE = 5;
/** A command may have a flag of its own with the name of a global one. */
const NEARLY_ALL = 0.9;

/** Follows the order of `topics`, which are those of package.json. */
export function commandsMarkdown(manifest: CommandManifest, topics: Topics): string {
  const commands = Object.values(manifest.commands)
    .filter(({ hidden }) => hidden !== true)
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const sections = [
    {
      title: 'Without a topic',
      summary: 'The instance, and tools',
      own: commands.filter(({ id }) => !id.includes(':')),
    },
    ...Object.entries(topics)
      .filter(([topic]) => !topic.includes(':'))
      .map(([title, { description = '' }]) => ({
        title,
        summary: description,
        own: commands.filter(({ id }) => id.startsWith(`${title}:`)),
      })),
  ];
  const isGlobal = (flag: Flag, count: number) =>
    flag.helpGroup === 'GLOBAL' && count > commands.length * NEARLY_ALL;
  const counted = countFlags(commands);
  const globalFlags = counted.filter(
    ({ flag, count }) => isGlobal(flag, count) && !DRY_RUN_FLAGS.has(flag.name),
  );
  const shared = counted.filter((each) => each.count >= SHARED_BY && !globalFlags.includes(each));
  const explained: Explained = {
    globalKeys: new Set(globalFlags.map(({ flag }) => keyOf(flag))),
    sharedKeys: new Set(shared.map(({ flag }) => keyOf(flag))),
    earlier: new Map(),
  };
  return `${[
    '# Commands',
    'Generated from the commands. `kyclone COMMAND --help` shows the same, with more examples.',
    'A word in capitals stands for a value. Brackets enclose what is optional. `...` means one or more.',
    '## Topics',
    sections.map(({ title, summary }) => `- [${title}](#${anchor(title)}): ${summary}`).join('\n'),
    '## Global flags',
    'Every command takes these flags, before or behind its words:',
    globalFlags.map(({ flag }) => flagLine(flag)).join('\n'),
    '## Shared flags',
    'Many commands take these flags. Each command names those that it takes:',
    shared.map(({ flag }) => flagLine(flag)).join('\n'),
    ...sections.flatMap(({ title, summary, own }) => [
      `## ${title}`,
      `${summary}.`,
      ...own.map((command) => commandMarkdown(command, explained)),
    ]),
  ].join('\n\n')}\n`;
}

/** What stands on the page before a command. */
interface Explained {
  readonly globalKeys: ReadonlySet<string>;
  readonly sharedKeys: ReadonlySet<string>;
  /** The other flags, by command. */
  readonly earlier: Map<string, readonly Flag[]>;
}

function commandMarkdown(command: Command, { globalKeys, sharedKeys, earlier }: Explained): string {
  const name = nameOf(command);
  const { summary = '', description, usage, examples = [], args = {} } = command;
  const flags = flagsOf(command).filter((flag) => !globalKeys.has(keyOf(flag)));
  const shared = flags.filter((flag) => sharedKeys.has(keyOf(flag)));
  const own = flags.filter((flag) => !shared.includes(flag));
  const [model, alike = []] = [...earlier]
    .map(([other, its]) => {
      const keys = its.map(keyOf);
      return [other, own.filter((flag) => keys.includes(keyOf(flag)))] as const;
    })
    .find(([, same]) => same.length >= ALIKE) ?? [undefined];
  earlier.set(name, own);
  const lines = [
    ...Object.entries(args).map(argumentLine),
    ...own.filter((flag) => !alike.includes(flag)).map(flagLine),
    ...(model === undefined ? [] : [`- as in [${model}](#${anchor(model)}): ${namesOf(alike)}`]),
    ...(shared.length === 0 ? [] : [`- [shared flags](#shared-flags): ${namesOf(shared)}`]),
  ];
  return [
    `### ${name}`,
    `${prose(summary)}.`,
    ...(description === undefined ? [] : [paragraphs(description)]),
    `\`\`\`sh\n${example(examples[0] ?? '')}\n\`\`\``,
    ...(usage === undefined ? [] : [`Usage: \`kyclone ${usage.replace('<%= command.id %>', name)}\``]),
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
  ].join('\n\n');
}

/** The command of an example, without the line that explains it. */
function example(text: string): string {
  const lines = text.replaceAll('<%= config.bin %>', 'kyclone').split('\n');
  return (lines[0]?.endsWith(':') === true ? lines.slice(1) : lines).join('\n');
}

/** Every different flag with the number of its commands; of flags with the same name the most frequent one. */
function countFlags(commands: readonly Command[]): { flag: Flag; count: number }[] {
  const counts = new Map<string, { flag: Flag; count: number }>();
  for (const flag of commands.flatMap(flagsOf)) {
    const count = counts.get(keyOf(flag))?.count ?? 0;
    counts.set(keyOf(flag), { flag, count: count + 1 });
  }
  return [...counts.values()];
}

/** The flags of a command, without those that it would refuse. */
function flagsOf({ id, flags = {} }: Command): Flag[] {
  return Object.entries(flags)
    .map(([name, flag]) => ({ ...flag, name }))
    .filter(({ hidden }) => hidden !== true)
    .filter(({ name, helpGroup }) => helpGroup !== 'GLOBAL' || mayRunDry(id) || !DRY_RUN_FLAGS.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The environment of a control call and that of a key are the same flag to a reader. */
function keyOf({ name, char, summary, options }: Flag): string {
  return name === 'live' ? name : JSON.stringify([name, char, summary, options]);
}

function flagLine(flag: Flag): string {
  const short = flag.char === undefined ? '' : `\`-${flag.char}\`, `;
  const required = flag.required === true ? ' (required)' : '';
  return `- ${short}\`--${flag.name}${valueOf(flag)}\`: ${explanation(flag.summary, flag)}${required}`;
}

function argumentLine([name, argument]: [string, ManifestArgument]): string {
  const text = `${name.toUpperCase()}${argument.multiple === true ? '...' : ''}`;
  const shown = argument.required === true ? text : `[${text}]`;
  return `- \`${shown}\`: ${explanation(argument.description, argument)}`;
}

/** The text, with choices and default that it doesn't name. */
function explanation(text = '', { options = [], default: initial }: ManifestArgument): string {
  const choices = options.every((each) => text.includes(each)) ? '' : `; one of: ${options.join(', ')}`;
  const isNamed = initial === undefined || initial === false || text.includes('default:');
  return `${prose(text + choices)}${isNamed ? '' : ` (default: \`${String(initial)}\`)`}`;
}

function valueOf({ type, name, helpValue, multiple }: Flag): string {
  if (type !== 'option') return '';
  return ` ${helpValue ?? name.split('-').at(-1)?.toUpperCase() ?? ''}${multiple === true ? '...' : ''}`;
}

function namesOf(flags: readonly Flag[]): string {
  return flags.map(({ name }) => `\`--${name}\``).join(', ');
}

function nameOf({ id }: Command): string {
  return id.replaceAll(':', ' ');
}

function anchor(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-');
}

/** The lines behind the first of a paragraph are a list. */
function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .map((paragraph) => {
      const [first = '', ...others] = paragraph.split('\n');
      return [
        prose(first),
        ...(others.length > 0 ? [''] : []),
        ...others.map((line) => `- ${prose(line)}`),
      ].join('\n');
    })
    .join('\n\n');
}

/** Text for people as Markdown: what stands between backticks stays as it is. */
function prose(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[<*]/g, '\\$&')))
    .join('');
}
