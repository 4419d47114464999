/**
 * From argv to a command. Loads only that command and runs it with a bare config: oclif's own start would look for
 * plugins, themes and TypeScript first. Help and topics use oclif's full start.
 */
import { join } from 'node:path';
import type { Config } from '@oclif/core/config';
import type { PJSON } from '@oclif/core/interfaces';
import type { BaseCommand } from './shell/base-command.ts';
import { isDebugging } from './shell/environment.ts';
import { EXIT } from './shell/exit-codes.ts';
import { CliError, UsageError } from './shell/failure.ts';
import { readOwnFile } from '../kernel/program/single-file.ts';
import { causeOf } from '../kernel/system-failure.ts';
import { splitLeadingFlags } from './shell/command-line.ts';
import { wantsJson } from './shell/output.ts';
import { reportFailure } from './shell/report-failure.ts';

/** What Node makes of bytes in an argument that are no UTF-8: the value is lost. */
const NO_UTF8 = '\ufffd';

/** The commands, supplied by the build. */
export interface Commands {
  /** Command ids such as `users:create`, by all names of the command: its own, and former ones. */
  readonly names: ReadonlyMap<string, string>;
  readonly load: (id: string) => Promise<typeof BaseCommand<unknown>>;
}

/** Runs `argv` (without node and script); `root` is the package's folder. Sets the exit code in `process`. */
export async function main(argv: readonly string[], root: string, commands: Commands): Promise<void> {
  reportBrokenOutput(argv);
  try {
    if (argv.some((word) => word.includes(NO_UTF8))) {
      throw new UsageError('An argument is not UTF-8 text', 'give the value by @FILE or stdin');
    }
    const { names, load } = commands;
    const pjson = JSON.parse(readOwnFile(join(root, 'package.json'))) as PJSON;
    const everything = { root, pjson, ids: [...new Set(names.values())] };
    const split = splitLeadingFlags(argv[0] === 'help' ? argv.slice(1) : argv, [...names.keys()]);
    const words = [...split.words, ...split.others];
    const typed = commandId(words, names);
    const id = typed === undefined ? undefined : names.get(typed);
    if (argv.length === 0 || argv[0] === 'help' || wantsHelp(argv)) {
      await showHelp(id === undefined ? topicWords(words) : id.split(':'), everything);
    } else if (typed === undefined || id === undefined) {
      await unknownCommand(words, everything);
    } else {
      const command = await load(id);
      // The framework was loaded with the command, and added its listener.
      reportBrokenOutput(argv);
      command.id = id;
      const own = [...split.words.slice(typed.split(':').length), ...split.rest];
      await runCommand(command, own, bareConfig(root, pjson));
    }
  } catch (error) {
    reportFailure(error, { asJson: wantsJson(argv), isDebugging: isDebugging() });
  }
}

/**
 * Replaces the framework's listener, which throws. A reader that is gone is not a failure; a full disk is reported
 * once, in one line.
 */
function reportBrokenOutput(argv: readonly string[]): void {
  let isReported = false;
  process.stdout.removeAllListeners('error');
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || isReported) return;
    isReported = true;
    const failure = new CliError(`The output cannot be written: ${causeOf(error) ?? 'failed'}`, {
      code: 'output_failed',
    });
    reportFailure(failure, { asJson: wantsJson(argv), isDebugging: false });
  });
}

/**
 * Reports an uncaught error like any other failure, with its stack only on request. If stderr is closed or full, only
 * the exit code shows the error.
 */
export function reportCrash(argv: readonly string[]): void {
  process.stderr.on('error', () => (process.exitCode ||= EXIT.failed));
  const crash = (error: unknown) => {
    reportFailure(error, { asJson: wantsJson(argv), isDebugging: isDebugging() });
    process.exit();
  };
  process.once('uncaughtException', crash).once('unhandledRejection', crash);
}

async function runCommand(command: unknown, argv: string[], config: Config): Promise<void> {
  await (command as { start(argv: string[], config: Config): Promise<void> }).start(argv, config);
}

/** The parts of a config that commands read. oclif's own class would load the plugin search. */
function bareConfig(root: string, pjson: PJSON): Config {
  const { name, version } = pjson;
  const config: Partial<Config> = { root, pjson, name, version, bin: 'kyclone', topicSeparator: ' ' };
  return config as Config;
}

/** The longest run of leading words that names a command. */
function commandId(words: readonly string[], known: ReadonlyMap<string, string>): string | undefined {
  const first = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  const leading = topicWords(first === -1 ? words : words.slice(0, first));
  for (let length = leading.length; length > 0; length--) {
    const id = leading.slice(0, length).join(':');
    // `bank link list` is a slip of `bank links list`, and no argument of `bank link`.
    if (known.has(id) && !known.has(`${id}s:${leading[length] ?? ''}`)) return id;
  }
  return undefined;
}

/** Commands have at most a topic, a subtopic and a verb. */
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
  readonly ids: readonly string[];
}

async function showHelp(words: readonly string[], { root, pjson, ids }: Package): Promise<void> {
  const id = words.join(':');
  if (id !== '' && !ids.some((known) => known === id || known.startsWith(`${id}:`)))
    throw await notACommand(words, ids);
  const { showOclifHelp } = await import('./shell/oclif-help.ts');
  await showOclifHelp(id, root, pjson);
}

/** A topic alone shows its commands; anything else is an error. */
async function unknownCommand(words: readonly string[], everything: Package): Promise<void> {
  const { ids } = everything;
  if (ids.some((id) => id.startsWith(`${words.join(':')}:`))) await showHelp(words, everything);
  else throw await notACommand(words, ids);
}

async function notACommand(words: readonly string[], ids: readonly string[]): Promise<Error> {
  const guesses = await import('./guesses/not-a-command.ts');
  return guesses.notACommand(words, ids);
}
