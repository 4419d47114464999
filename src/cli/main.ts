/**
 * From argv to a command. A command that the shipped manifest knows is loaded alone and run with a bare config: oclif's
 * own start would look for plugins, themes and TypeScript first. Help and topics take oclif's whole way.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Config } from '@oclif/core/config';
import type { PJSON } from '@oclif/core/interfaces';
import type { BaseCommand } from './shell/base-command.ts';
import { isDebugging } from './shell/environment.ts';
import { EXIT } from './shell/exit-codes.ts';
import { CliError, UsageError } from './shell/failure.ts';
import { nearest } from '../kernel/nearest.ts';
import { causeOf } from '../kernel/system-failure.ts';
import { splitLeadingFlags } from './shell/leading-flags.ts';
import { wantsJson } from './shell/output-choice.ts';
import { reportFailure } from './shell/report-failure.ts';

interface Manifest {
  readonly commands: Readonly<Record<string, { readonly relativePath: readonly string[] }>>;
}

/** Runs `argv` (without node and script); `root` is the package's folder. The exit code is left in `process`. */
export async function main(argv: readonly string[], root: string): Promise<void> {
  reportBrokenOutput(argv);
  try {
    const manifest = readJson(join(root, 'oclif.manifest.json')) as Manifest;
    const pjson = readJson(join(root, 'package.json')) as PJSON;
    const ids = Object.keys(manifest.commands);
    const split = splitLeadingFlags(argv[0] === 'help' ? argv.slice(1) : argv, ids);
    const words = [...split.words, ...split.others];
    const id = commandId(words, ids);
    if (argv.length === 0 || argv[0] === 'help' || wantsHelp(argv)) {
      await showHelp(id === undefined ? topicWords(words) : id.split(':'), { root, pjson, manifest });
    } else if (id === undefined) {
      await unknownCommand(words, { root, pjson, manifest });
    } else {
      const file = join(root, ...(manifest.commands[id]?.relativePath ?? []));
      const { default: command } = (await import(pathToFileURL(file).href)) as {
        default: typeof BaseCommand;
      };
      // The framework came with the command, and its listener with that.
      reportBrokenOutput(argv);
      command.id = id;
      const own = [...split.words.slice(id.split(':').length), ...split.rest];
      await runCommand(command, own, bareConfig(root, pjson));
    }
  } catch (error) {
    reportFailure(error, { asJson: wantsJson(argv), isDebugging: isDebugging() });
  }
}

/**
 * In place of the framework's listener, which throws: a reader that is gone is nobody's mistake, a full disk is told in
 * a line, once.
 */
function reportBrokenOutput(argv: readonly string[]): void {
  let isTold = false;
  process.stdout.removeAllListeners('error');
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || isTold) return;
    isTold = true;
    const failure = new CliError(`The output cannot be written: ${causeOf(error) ?? 'failed'}`, {
      code: 'output_failed',
      exitCode: EXIT.failed,
    });
    reportFailure(failure, { asJson: wantsJson(argv), isDebugging: false });
  });
}

/**
 * Reports an error that nothing caught like any other failure, with its stack only on request. When the error output is
 * closed or full, the exit code alone says it.
 */
export function reportCrash(argv: readonly string[]): void {
  process.stderr.on('error', () => (process.exitCode ||= EXIT.failed));
  const crash = (error: unknown) => {
    reportFailure(error, { asJson: wantsJson(argv), isDebugging: isDebugging() });
    process.exit();
  };
  process.once('uncaughtException', crash).once('unhandledRejection', crash);
}

type Runnable = { start(argv: string[], config: Config): Promise<void> };

async function runCommand(command: unknown, argv: string[], config: Config): Promise<void> {
  await (command as Runnable).start(argv, config);
}

/** What commands read of a config; nothing is looked up on disk. */
function bareConfig(root: string, pjson: PJSON): Config {
  const config = new Config({ root });
  config.root = root;
  config.pjson = pjson;
  config.name = pjson.name;
  config.version = pjson.version;
  config.bin = 'kyclone';
  config.topicSeparator = ' ';
  return config;
}

/** The longest run of leading words that names a command. */
function commandId(words: readonly string[], ids: readonly string[]): string | undefined {
  const known = new Set(ids);
  const first = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  const leading = topicWords(first === -1 ? words : words.slice(0, first));
  for (let length = leading.length; length > 0; length--) {
    const id = leading.slice(0, length).join(':');
    if (known.has(id)) return id;
  }
  return undefined;
}

/** Commands are at most a topic, a topic in it and a verb. */
function topicWords(words: readonly string[]): string[] {
  return words.filter((word) => !word.startsWith('-')).slice(0, 3);
}

function wantsHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).some((word) => word === '--help' || word === '-h');
}

interface Package {
  readonly root: string;
  readonly pjson: PJSON;
  readonly manifest: Manifest;
}

async function showHelp(words: readonly string[], { root, pjson, manifest }: Package): Promise<void> {
  const id = words.join(':');
  const ids = Object.keys(manifest.commands);
  if (id !== '' && !ids.some((known) => known === id || known.startsWith(`${id}:`)))
    throw notACommand(words, ids);
  const { showOclifHelp } = await import('./shell/oclif-help.ts');
  await showOclifHelp(id, root, pjson);
}

/** A topic alone shows what it offers; anything else is a mistake. */
async function unknownCommand(words: readonly string[], everything: Package): Promise<void> {
  const ids = Object.keys(everything.manifest.commands);
  if (ids.some((id) => id.startsWith(`${words.join(':')}:`))) await showHelp(words, everything);
  else throw notACommand(words, ids);
}

/** What was typed is not repeated: a value may stand where a command was expected. */
function notACommand(words: readonly string[], ids: readonly string[]): UsageError {
  const names = ids.map((id) => id.replaceAll(':', ' '));
  const firstWords = new Set(names.map((name) => name.split(' ')[0] ?? ''));
  const typed = topicWords(words);
  const meant =
    nearest(typed.join(' '), names) ??
    nearest(typed.slice(0, 2).join(' '), names) ??
    nearest(words[0] ?? '', firstWords);
  return new UsageError(
    meant === undefined ? 'There is no such command' : `There is no such command; did you mean "${meant}"?`,
    'kyclone --help lists the commands',
  );
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
