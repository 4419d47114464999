/** `kycloned`: parses its options, starts the daemon, reports it, and stops it on a signal. */
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { errorEntry } from '../contract/errors.ts';
import { DEFAULT_PORT } from '../nouns/control/facts.ts';
import { settingsFromOptions } from '../nouns/settings/endpoints/values.ts';
import { defined } from '../kernel/defined.ts';
import { ServiceError, invalid } from '../kernel/errors.ts';
import {
  INSTANCE_NAME,
  instancePaths,
  NoHomeError,
  ownPathBases,
  withDataDirectory,
} from '../kernel/files/paths.ts';
import { systemFailureOf } from '../kernel/system-failure.ts';
import { parseInstant } from '../kernel/time/civil-date.ts';
import { printableLines } from '../kernel/text/terminal-text.ts';
import { isThrowAwayHome } from '../kernel/files/throw-away-home.ts';
import { sqliteInUse } from '../storage/binding.ts';
import { checkCopy, checkNextCopy, checkStopped } from './check-store.ts';
import { ownPackage, type OwnPackage } from './own-package.ts';
import { requireKey, startDaemon, type Daemon, type DaemonStartOptions } from './start.ts';

// Protects against debuggers, which can read everything in this process. A debugger opened by the environment is
// closed. One requested on Node's command line is intended, and only reported. Code that Node loaded before us can't be
// undone and is reported, too.

/** Returns notices for the user. Costs nothing when Node has no such options. */
function closeDebugger(nodeOptions: string | undefined, nodeFlags: readonly string[]): readonly string[] {
  const words = `${nodeOptions ?? ''} ${nodeFlags.join(' ')}`;
  if (
    !/--(?:inspect|debug|require|import|loader|experimental[-_]loader|heapsnapshot|heap[-_]prof|cpu[-_]prof|abort[-_]on)|(?:^| )-r /.test(
      words,
    )
  )
    return [];
  const notices: string[] = [];
  // Not imported above, since every start would pay for it.
  const inspector = process.getBuiltinModule('node:inspector');
  if (inspector.url() !== undefined) {
    const isWanted = nodeFlags.some((flag) => /^--inspect/.test(flag));
    if (!isWanted) inspector.close();
    notices.push(
      isWanted
        ? 'A debugger is open, as the command line of Node asks: it reads every key and value here.'
        : 'NODE_OPTIONS had opened a debugger, which reads every key and value here; it is closed.',
    );
  }
  const others = words.match(/--?[a-z][\w-]*/g)?.filter((flag) => !flag.startsWith('--inspect')) ?? [];
  const loud = others.filter((flag) => LOUD.test(flag));
  if (loud.length > 0)
    notices.push(
      `Node runs with ${loud.join(', ')}, which gives other code or files access to the data of this process.`,
    );
  return notices;
}

const LOUD =
  /^(?:-r|--(?:require|import|loader|experimental[-_]loader|heapsnapshot.*|heap[-_]prof.*|cpu[-_]prof.*|abort[-_]on[-_]uncaught[-_]exception))$/;

const OWNER_ONLY_UMASK = 0o077;
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);

const EXIT = { failed: 1, usage: 2, credentials: 4, conflict: 8 } as const;

interface Options {
  readonly instance: string;
  readonly port: number;
  readonly host?: string;
  readonly allowRemote?: boolean;
  readonly ephemeral?: boolean;
  readonly seed?: string;
  readonly dataDir?: string;
  readonly apiKeyFile?: string;
  readonly keyFile?: string;
  readonly snapshotKeyFile?: string;
  readonly requireKeychain?: boolean;
  readonly logFile?: string;
  readonly set: string[];
  readonly clock?: number;
  readonly import?: string;
  readonly withAccess?: boolean;
  /** True without a path: exports to the --import file. */
  readonly exportOnExit?: string | true;
  readonly acceptLoss?: boolean;
  readonly stopWithParent?: boolean;
  readonly removeHome?: boolean;
  readonly checkStore?: boolean;
  readonly checkCopy?: string;
  readonly checkNext?: boolean;
  readonly checkSqlite?: boolean;
}

export async function main(argv: readonly string[]): Promise<void> {
  process.umask(OWNER_ONLY_UMASK);
  const warnings = closeDebugger(process.env['NODE_OPTIONS'], process.execArgv);
  const own = ownPackage();
  const options = readOptions(argv, own.version);
  if (options.checkCopy !== undefined) {
    await checkCopy(options.checkCopy);
    return;
  }
  if (options.checkNext) {
    await checkNextCopy();
    return;
  }
  if (options.checkSqlite) {
    checkSqlite();
    return;
  }
  if (options.checkStore) {
    const start = startOptions(options, own);
    await checkStopped(start.paths, (database) => requireKey(database, start));
    return;
  }
  const starting = Promise.resolve().then(() => startDaemon(startOptions(options, own, argv)));
  // Installed now, so that a signal during the start ends in a clean stop, too.
  const stopOnce = () =>
    void starting.then(
      (daemon) => stop(daemon, options),
      () => undefined,
    );
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, stopOnce);
  if (options.stopWithParent) {
    // If the parent was killed while this process was loading, there was no event.
    if (process.connected) process.once('disconnect', stopOnce);
    else stopOnce();
  }
  try {
    announce(await starting, options, warnings);
  } catch (error) {
    refuse(error);
  }
}

/** For `kyclone doctor`, in a separate process: a broken native module can crash it. */
function checkSqlite(): void {
  try {
    process.stdout.write(`${sqliteInUse()}\n`);
  } catch (error) {
    process.exitCode = EXIT.failed;
    say((error as Error).message);
  }
}

function readOptions(argv: readonly string[], version: string): Options {
  const command = new Command('kycloned')
    .description('The kyclone daemon. Most people start it with `kyclone start`.')
    .version(version)
    .addOption(
      new Option('--instance <name>', 'which instance')
        .env('KYCLONE_INSTANCE')
        .argParser(parseInstance)
        .default('default'),
    )
    .option('--port <number>', 'port to listen on, 0 for a free one', parsePort, DEFAULT_PORT)
    .option('--host <address>', 'another address than loopback; needs --allow-remote')
    .option('--allow-remote', 'let other machines reach this one: test data only')
    .option('--ephemeral', 'keep everything in memory; data and key are lost when the process ends')
    .option('--seed <text>', 'make ids repeat from run to run')
    .option('--data-dir <path>', 'keep the store in this folder')
    .option('--api-key-file <path>', 'use the API keys in this file')
    .option('--key-file <path>', 'keep the vault key in this file')
    .option('--snapshot-key-file <path>', "the key for exported snapshots; default: this user's key")
    .option(
      '--require-keychain',
      'for a new vault: refuse to start rather than keep its key outside the keychain',
    )
    .option('--log-file <path>', 'write the log here instead of to stderr')
    .option('--clock <time>', 'start with the clock frozen at this ISO 8601 time', parseTime)
    .option('--import <file>', 'begin with the state of this snapshot')
    .option('--with-access', 'take in the keys, receivers, hosts, origins and egress of --import, too')
    .option(
      '--export-on-exit [file]',
      'save the state as a snapshot when it stops; default: the --import file',
    )
    .option('--accept-loss', 'go on with a store that lacks its latest changes')
    .option('--stop-with-parent', 'stop when the process that started this one is gone')
    .option('--remove-home', 'remove KYCLONE_HOME when it has stopped: only one that kyclone exec has made')
    .option('--check-store', 'check every page of the store instead of serving it; findings go to stdout')
    .addOption(new Option('--check-copy <file>', 'the same for a copy of a store').hideHelp())
    .addOption(new Option('--check-next', 'the same for a copy that stdin names once it is made').hideHelp())
    .addOption(new Option('--check-sqlite', 'say which SQLite would hold the store').hideHelp())
    .option('--set <name=value>', 'a setting, such as egress.policy=strict; repeatable', collect, [])
    .allowExcessArguments(false)
    .configureOutput({ outputError: (text, write) => write(withoutValues(text)) })
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT.usage));
  command.parse([...argv], { from: 'user' });
  return command.opts<Options>();
}

/** A usage error names only the option: its value may be a misplaced key. */
function withoutValues(text: string): string {
  const option = between(text, "unknown option '", "'");
  if (option !== undefined) {
    const name = /^(?:--[a-z-]+|-[a-z])/.exec(option.text)?.[0] ?? '';
    return text.slice(0, option.from) + name + text.slice(option.end);
  }
  const given = between(text, " argument '", "' is invalid");
  return given
    ? `${text.slice(0, given.from - 2)} is invalid${text.slice(given.end + "' is invalid".length)}`
    : text;
}

/** The longest part of the text between the two. */
function between(
  text: string,
  before: string,
  after: string,
): { text: string; from: number; end: number } | undefined {
  const at = text.indexOf(before);
  const from = at + before.length;
  const end = text.lastIndexOf(after);
  return at === -1 || end < from ? undefined : { text: text.slice(from, end), from, end };
}

function startOptions(options: Options, own: OwnPackage, argv: readonly string[] = []): DaemonStartOptions {
  if (options.host !== undefined && !LOOPBACK.has(options.host) && !options.allowRemote) {
    throw invalid('Option --host with another address than loopback needs --allow-remote');
  }
  if (options.removeHome && !isThrowAwayHome(process.env['KYCLONE_HOME'])) {
    throw invalid('Option --remove-home is for a KYCLONE_HOME that kyclone exec has made, and this is none');
  }
  const usual = instancePaths(ownPathBases(process.env, process.platform), options.instance);
  const paths =
    options.snapshotKeyFile === undefined
      ? usual
      : { ...usual, snapshotKeyFile: resolve(options.snapshotKeyFile) };
  return {
    ...own,
    instance: options.instance,
    paths: options.dataDir === undefined ? paths : withDataDirectory(paths, options.dataDir),
    port: options.port,
    ...(options.host !== undefined && !LOOPBACK.has(options.host) && { host: options.host }),
    isEphemeral: options.ephemeral ?? false,
    options: argv,
    ...defined({
      seed: options.seed,
      apiKeyFile: options.apiKeyFile,
      logFile: options.logFile,
      clockAt: options.clock,
      importFile: options.import === undefined ? undefined : resolve(options.import),
      withAccess: options.withAccess,
      acceptsLoss: options.acceptLoss,
      removesHome: options.removeHome,
    }),
    ...exportFile(options),
    settings: settingsFromOptions(options.set),
    keySource: {
      keyFile: options.keyFile,
      requireKeychain: options.requireKeychain ?? false,
      environment: {
        key: process.env['KYCLONE_VAULT_KEY'],
        passphrase: process.env['KYCLONE_VAULT_PASSPHRASE'],
      },
      noKeychain: process.env['KYCLONE_NO_KEYCHAIN'] === '1',
    },
    ...defined({ snapshotKey: process.env['KYCLONE_SNAPSHOT_KEY'] }),
  };
}

function exportFile({ exportOnExit, import: source }: Options): { exportFile?: string } {
  if (exportOnExit === undefined) return {};
  const file = exportOnExit === true ? source : exportOnExit;
  if (file === undefined || file === '') {
    throw invalid('Option --export-on-exit needs a file where there is no --import');
  }
  return { exportFile: resolve(file) };
}

/** Reports to the parent over its channel, or to the person at the terminal. */
function announce(daemon: Daemon, options: Options, before: readonly string[]): void {
  const { instance, notices } = daemon;
  const { url, pid, version, name } = instance;
  const isEphemeral = instance.storage === 'ephemeral';
  const warnings = options.allowRemote ? ['Other machines can reach this instance: use test data only'] : [];
  const all = [...before, ...notices, ...warnings];
  if (process.connected && process.send) {
    process.send({ type: 'ready', url, pid, version, instance: name, ephemeral: isEphemeral, notices: all });
    return;
  }
  for (const notice of all) say(notice);
  say(`kyclone ${version} serves instance ${name} (${instance.storage}) at ${url}`);
}

function refuse(error: unknown): void {
  const known = error instanceof ServiceError ? error : undefined;
  const refused = refusalOfMachine(error);
  const code = known?.code ?? refused?.code ?? 'internal_error';
  const message =
    known?.message ??
    `The daemon could not start: ${refused?.message ?? (error instanceof Error ? error.name : 'unknown')}`;
  const exitCode = exitCodeOf(code);
  process.exitCode = exitCode;
  const hint = known ? errorEntry(code).hint : refused?.remedy;
  if (process.connected && process.send)
    // An open channel would keep the process from ending.
    process.send({ type: 'failed', code, message, exit_code: exitCode, hint, path: refused?.path }, () => {
      if (process.connected) process.disconnect();
    });
  else {
    say(`kycloned: ${message}`);
    if (hint !== undefined) say(`  ${hint}`);
    else if (error instanceof Error) say(error.stack ?? '');
  }
}

/** A failure of the machine, and its remedy. */
function refusalOfMachine(
  error: unknown,
): { code: string; message: string; remedy: string; path?: string | undefined } | undefined {
  if (error instanceof NoHomeError) return { code: 'no_home', message: error.message, remedy: error.remedy };
  const failure = systemFailureOf(error);
  return failure && { ...failure, code: 'system_refused' };
}

function exitCodeOf(code: string): number {
  if (code === 'sealed' || code === 'key_file_refused' || code === 'vault_key_invalid')
    return EXIT.credentials;
  if (code === 'instance_running' || code === 'port_taken' || code === 'conflict') return EXIT.conflict;
  return code === 'invalid_request' || code === 'no_home' ? EXIT.usage : EXIT.failed;
}

/** Prints for people; file names and the like may contain control sequences. */
function say(text: string): void {
  process.stderr.write(`${printableLines(text)}\n`);
}

async function stop(daemon: Daemon, { removeHome }: Options): Promise<void> {
  await daemon.stop();
  const home = process.env['KYCLONE_HOME'];
  // Checked again: the folder may have been replaced since the start.
  if (removeHome && home && isThrowAwayHome(home)) rmSync(home, { recursive: true, force: true });
  const { exportProblem: problem } = daemon;
  if (problem !== undefined) say(`kycloned: ${problem}`);
  process.exit(problem === undefined ? 0 : EXIT.failed);
}

function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('A port is a number from 0 to 65535.');
}

function parseTime(text: string): number {
  const at = parseInstant(text);
  if (at !== undefined) return at;
  throw new InvalidArgumentError('A time is ISO 8601, such as 2026-01-31T12:00:00Z.');
}

function parseInstance(text: string): string {
  if (INSTANCE_NAME.test(text)) return text;
  throw new InvalidArgumentError('An instance name is 1 to 64 of a-z, 0-9, ".", "_" and "-".');
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}
