/**
 * Writes every generated file. With --check, fails and names the stale ones. Pure functions of the sources produce
 * the content; reviewers see changes of the surface in the diff of test/snapshots.
 */
import './gone-reader.ts';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { outputsOf } from '../cli/capabilities/document.ts';
import { isNeverDry, mayRunDry } from '../cli/shell/dry-run-commands.ts';
import { ERRORS } from '../contract/errors.ts';
import { openApiDocument } from '../contract/openapi.ts';
import { DEFAULT_SETTINGS } from '../nouns/settings/endpoints/index.ts';
import { openDatabase } from '../storage/database.ts';
import { scalarStatement } from '../storage/statement.ts';
import { importedPackages, layersOf, readTree } from './check-imports.ts';
import { commandSurface, type CommandManifest } from './command-surface.ts';
import {
  COMMANDS_DOCUMENT,
  commandsMarkdown,
  DOCUMENTS,
  errorsMarkdown,
  missingPackages,
  PACKAGES_DOCUMENT,
  withBlocks,
} from './documents.ts';
import { completionFiles, type Topics } from './completions/files.ts';
import { housePicture } from './pictures/house.ts';
import { endForOption, scriptOptions } from './script-options.ts';

export interface GeneratedFile {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly content: string;
}

/**
 * Every generated file of the repository at `root`, with its correct content; and the blocks that could not be
 * generated, with gaps in handwritten documents.
 */
export function generate(root: string) {
  const document = openApiDocument({
    vocabulary: DEFAULT_SETTINGS.vocabulary,
    version: '0.0.0',
    baseUrl: 'http://127.0.0.1',
  });
  const files: GeneratedFile[] = [
    { path: 'test/snapshots/openapi.json', content: json(document) },
    { path: 'test/snapshots/errors.md', content: `${errorsMarkdown(ERRORS)}\n` },
    { path: 'test/snapshots/schema.sql', content: storeSchema() },
  ];
  const problems: string[] = [];
  const tree = existsSync(join(root, 'src')) ? readTree(join(root, 'src')) : new Map();
  if (existsSync(join(root, 'docs/architecture.md'))) {
    const picture = housePicture(layersOf(tree));
    files.push({ path: 'docs/pictures/house.svg', content: picture.content });
    problems.push(...picture.problems);
  }

  const manifestPath = join(root, 'oclif.manifest.json');
  if (existsSync(manifestPath)) {
    const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as CommandManifest;
    files.push({ path: 'test/snapshots/commands.json', content: json(commandSurface(manifest)) });
    const topics = describedTopics(root);
    files.push(...completionFiles(manifest, topics));
    files.push({ path: COMMANDS_DOCUMENT, content: commandsMarkdown(manifest, topics) });
    problems.push(...commandProblems(manifest, topics));
  } else {
    problems.push('oclif.manifest.json is missing: npm run build makes it');
  }

  for (const path of Object.keys(DOCUMENTS)) {
    if (!existsSync(join(root, path))) continue;
    const document = withBlocks(path, readFileSync(join(root, path), 'utf8'));
    if (document.content !== undefined) files.push({ path, content: document.content });
    problems.push(...document.problems);
  }
  if (existsSync(join(root, PACKAGES_DOCUMENT))) {
    const written = readFileSync(join(root, PACKAGES_DOCUMENT), 'utf8');
    for (const name of missingPackages(written, shippedPackages(root, importedPackages(tree)))) {
      problems.push(`${PACKAGES_DOCUMENT}: no row of a table names the package \`${name}\``);
    }
  }
  return { files, problems };
}

export function describedTopics(root: string): Topics {
  const { oclif } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    oclif: { topics: Topics };
  };
  return oclif.topics;
}

/** Packages that are installed with this one, or are part of its bundles. */
function shippedPackages(root: string, imported: readonly string[]): string[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
    optionalDependencies?: Record<string, string>;
    peerDependencies?: Record<string, string>;
  };
  const names = [
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.optionalDependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {}),
    ...imported,
  ];
  return [...new Set(names)].sort();
}

/** Paths of the generated files that differ on disk. */
export function staleFiles(root: string, files: readonly GeneratedFile[]): string[] {
  return files
    .filter(({ path, content }) => {
      const full = join(root, path);
      return !existsSync(full) || readFileSync(full, 'utf8') !== content;
    })
    .map(({ path }) => path);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function main(): void {
  const { check: isCheck } = scriptOptions('generate', { check: { type: 'boolean' } });
  const root = join(import.meta.dirname, '..', '..');
  const { files, problems } = generate(root);
  const stale = staleFiles(root, files);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (isCheck) {
    for (const path of stale) process.stderr.write(`${path} is stale: npm run generate\n`);
    if (stale.length > 0 || problems.length > 0) process.exitCode = 1;
    return;
  }
  for (const { path, content } of files) {
    if (!stale.includes(path)) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    process.stdout.write(`${path}\n`);
  }
}

/** The schema after all migrations, as SQL text sorted by name. */
function storeSchema(): string {
  const database = openDatabase(':memory:');
  try {
    const texts = scalarStatement<[], string>(
      'SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY tbl_name, type DESC, name',
    ).all(database);
    return texts.map((sql) => `${sql};\n`).join('\n');
  } finally {
    database.close();
  }
}

// Checks what a command needs outside its own file. Each problem names the command, what is missing, and where to add
// it.

const LEAST_EXAMPLES = 2;

/** `topics`: topics described in package.json, by name. */
export function commandProblems(
  { commands }: Pick<CommandManifest, 'commands'>,
  topics: Readonly<Record<string, unknown>>,
): string[] {
  const ofCommands = Object.values(commands).flatMap(({ examples = [], ...command }) => {
    const { id } = command;
    const name = id.replaceAll(':', ' ');
    const outputs = outputsOf(command);
    return [
      ...(outputs.length === 0
        ? [`${name}: say in src/cli/capabilities/outputs.ts what it prints under --json`]
        : []),
      ...(examples.length < LEAST_EXAMPLES
        ? [`${name}: its help needs ${LEAST_EXAMPLES} examples; add them where the command is, then build`]
        : []),
      ...(callsApi(outputs) && !mayRunDry(id) && !isNeverDry(id)
        ? [`${name}: calls the API and refuses --dry-run: add its topic to src/cli/shell/dry-run-commands.ts`]
        : []),
    ];
  });
  const names = new Set(Object.values(commands).flatMap(({ id }) => topicsOf(id)));
  const ofTopics = [...names]
    .filter((topic) => !Object.hasOwn(topics, topic))
    .map((topic) => `${topic}: describe this topic in package.json, under oclif.topics`);
  return [...ofCommands, ...ofTopics];
}

/** API outputs are endpoint keys, such as `GET /users`. */
function callsApi(outputs: readonly string[]): boolean {
  return outputs.some((each) => each.includes(' /'));
}

/** Returns `proxy` and `proxy:configs` for `proxy:configs:list`. */
function topicsOf(id: string): string[] {
  const words = id.split(':');
  return words.slice(1).map((_, index) => words.slice(0, index + 1).join(':'));
}

if (process.argv[1] === import.meta.filename) {
  try {
    main();
  } catch (error) {
    endForOption('generate', error);
  }
}
