/**
 * The life cycle of a daemon (docs/architecture.md#daemon): lock, store, key, port, locator, and the stop. When a step
 * fails, the earlier ones are undone in reverse order, so that a failed start leaves nothing behind.
 */
import { attempt } from '../kernel/attempt.ts';
import { rmSync, statSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Locator, exportFailure, folderNumber, type InstancePaths } from '../kernel/files/paths.ts';
import type { SettingsPatch } from '../nouns/settings/endpoints/index.ts';
import type { ServerLimits } from '../http/limits.ts';
import { systemClock, timestamp } from '../kernel/time/clock.ts';
import { defined } from '../kernel/defined.ts';
import { ServiceError } from '../kernel/errors.ts';
import { requireOwnFolder } from '../kernel/files/own-folder.ts';
import { makePrivateFolder } from '../kernel/files/private-folder.ts';
import { writePrivateFile } from '../kernel/files/private-write.ts';
import { processStart } from '../kernel/program/processes.ts';
import { createRandomness, secretBytes } from '../kernel/ids/random.ts';
import { realTime } from '../kernel/time/real-time.ts';
import { readOwnFile } from '../kernel/program/single-file.ts';
import { sweepTemporaryFolders } from '../kernel/files/temporary-folders.ts';
import { saveClockSetting } from '../nouns/clock/service/index.ts';
import type { Instance } from '../nouns/control/service/index.ts';
import { createTurns, sealExisting } from '../nouns/snapshots/service/index.ts';
import { createBlobStore } from '../storage/blobs.ts';
import { emptyLog } from '../storage/checkpoints.ts';
import type { Database } from '../storage/database.ts';
import { takeLock } from '../storage/lock.ts';
import { keepReserve, makeRoom } from '../storage/reserve.ts';
import { createSnapshotFolder, removeDraft } from '../storage/snapshot-folder.ts';
import { isUnused, lossOf, refuseLoss } from '../storage/store-files.ts';
import { anchorFileOf } from '../storage/store-position.ts';
import { beginAccessLog } from '../vault/access-log.ts';
import { forgetUnsealedSnapshots, hasUnsealedSnapshots } from '../vault/grants/index.ts';
import {
  ephemeralKeyring,
  unlock,
  type Keyring,
  type KeySourceOptions,
  type Unlocked,
} from '../vault/keyring/index.ts';
import { acceptLoss, beginAnchoredLog, foreignAnchor } from '../vault/log-anchor.ts';
import { accessNotices, adoptImport, exportOnExit, requireImportable } from './carried-state.ts';
import { drain, listen, requireFreePort } from './listen.ts';
import { localKeys, controlTokenOf } from './local-keys.ts';
import { openLog } from './log.ts';
import type { OwnPackage } from './own-package.ts';
import { startRuntime } from './runtime.ts';
import { watchStore } from './store-checks.ts';
import { durableStore, memoryStore, namingTheStore, type StoreHome } from './store-home.ts';
import { tracesOfStart } from './traces.ts';

export interface DaemonStartOptions extends OwnPackage {
  readonly instance: string;
  readonly paths: InstancePaths;
  readonly port: number;
  /** An address other than loopback; the caller has checked that this is intended. */
  readonly host?: string;
  readonly isEphemeral: boolean;
  /** Whether to go on with a store that lacks commits which its anchor knows. */
  readonly acceptsLoss?: boolean;
  readonly seed?: string;
  /** The words of the command line, for the locator. */
  readonly options?: readonly string[];
  readonly apiKeyFile?: string;
  readonly logFile?: string;
  /** Freezes the clock at this time from the start, epoch milliseconds. */
  readonly clockAt?: number;
  /** A snapshot to start with. */
  readonly importFile?: string;
  /** Whether to import the access that the snapshot grants, too. */
  readonly withAccess?: boolean;
  /** The file that receives the state at the stop. */
  readonly exportFile?: string;
  /** Whether the home is deleted after the stop. */
  readonly removesHome?: boolean;
  readonly settings: SettingsPatch;
  /** Limits for each client, for tests. */
  readonly limits?: Partial<ServerLimits>;
  readonly keySource: Pick<KeySourceOptions, 'keyFile' | 'requireKeychain' | 'environment' | 'noKeychain'>;
  /** KYCLONE_SNAPSHOT_KEY. */
  readonly snapshotKey?: string;
}

export interface Daemon {
  readonly instance: Instance;
  /** Notices for the user, such as where the key is stored. */
  readonly notices: readonly string[];
  /**
   * Finishes requests in flight, for 2 s at most, and responses that clients are reading, for 30 s at most. Then it
   * writes the requested export, stops, and releases the data directory. Takes effect once.
   */
  stop(): Promise<void>;
  /** Why the export failed, after the stop. Everything else was completed. */
  readonly exportProblem: string | undefined;
  /** Stops keeping the process alive, for callers that run the daemon beside other work. */
  unref(): void;
}

const NONCE_BYTES = 18;

export async function startDaemon(options: DaemonStartOptions): Promise<Daemon> {
  const undo: (() => void | Promise<void>)[] = [];
  try {
    return await start(options, undo);
  } catch (error) {
    for (const step of undo.reverse()) await step();
    throw options.isEphemeral ? error : namingTheStore(options.paths.storeFile, error);
  }
}

async function start(options: DaemonStartOptions, undo: (() => void | Promise<void>)[]): Promise<Daemon> {
  const { paths, isEphemeral } = options;
  const clock = systemClock;
  const random = createRandomness(options.seed);

  const traces = tracesOfStart(options);
  // The folders of another start, which has the lock, are its own.
  let isContended = false;
  undo.push(() => {
    if (!isContended) traces.removeFolders();
  });
  makePrivateFolder(paths.stateDirectory);
  const lock = takeLock(paths.lockFile);
  if (!lock) {
    isContended = true;
    throw alreadyRunning(options);
  }
  rmSync(exportFailure(paths), { force: true });
  undo.push(() => lock.release());
  // Only while the lock is held: without it, another start may have created them.
  undo.push(traces.removeState);
  await requireFreePort(options);

  const log = openLog(options.logFile, clock);
  undo.push(() => log.close());

  // Before the store is created, since its absence decides on a new token.
  const control = controlTokenOf(paths, { isEphemeral });
  undo.push(() => control.undo());
  const { acceptsLoss } = options;
  const store = isEphemeral ? memoryStore() : durableStore(paths.storeFile, { acceptsLoss });
  const database = openStore(store, options);
  // The store is open, so no other daemon can have created it.
  undo.push(traces.removeStore);
  let served = () => database;
  undo.push(() => store.close(served()));
  const imported = requireImportable(options, database);
  const blobs = createBlobStore({
    folder: folderOf(options, 'files'),
    isDurable: !isEphemeral,
    trouble: () => store.trouble(),
  });
  const folder = createSnapshotFolder({ folder: folderOf(options, 'snapshots'), isDurable: !isEphemeral });
  if (isEphemeral) undo.push(() => Promise.all([blobs.destroy(), folder.destroy()]).then(() => undefined));
  // Removes what an interrupted run left behind. An ephemeral run's files are all removed, since its key is lost.
  await (isEphemeral ? folder.destroy() : folder.sweep());
  const anchorFile = isEphemeral ? undefined : anchorFileOf(paths.storeFile);
  const isNew = isUnused(database);
  const beginLog = (made: Keyring) => {
    const log = made.instanceKey('access log');
    if (anchorFile === undefined) beginAccessLog(database, log);
    else beginAnchoredLog(database, anchorFile, { anchor: made.snapshots.anchorKey, log });
  };
  const { keyring, notices, noteUse }: Pick<Unlocked, 'keyring' | 'notices' | 'noteUse'> = isEphemeral
    ? { keyring: ephemeralKeyring(database, clock.now(), beginLog), notices: [] }
    : await unlock(database, safeKeySource(options), clock.now(), beginLog);
  // From now on the file alone shows that there is a vault.
  if (isNew && !isEphemeral) emptyLog(database);
  const loss = isEphemeral ? undefined : lossBeside(options, database, keyring);
  if (acceptsLoss !== true) refuseLoss(loss);
  if (loss !== undefined && anchorFile !== undefined) {
    acceptLoss(database, anchorFile, keyring.snapshots.anchorKey);
    imported.notices.push(`${loss}: it goes on with what is there, as --accept-loss asks.`);
    log.write({ level: 'warn', event: 'loss_accepted' });
  }
  const snapshotKey = {
    environment: options.snapshotKey,
    file: paths.snapshotKeyFile,
    dataDirectory: isEphemeral ? undefined : paths.dataDirectory,
  };
  // Before anything is written: an unusable file leaves the store unchanged.
  const withAccess = options.withAccess ?? false;
  const vault = { home: { folder, key: snapshotKey }, keyring };
  const adopted = imported.file && (await adoptImport(vault, imported.file, withAccess));
  if (adopted) undo.push(() => removeDraft(adopted.draft));
  // Also shows at once, by name, whether the store takes writes.
  noteUse?.(database);
  if (hasUnsealedSnapshots(database)) {
    await sealExisting(folder, keyring);
    forgetUnsealedSnapshots(database);
  }

  const instance: Instance = {
    name: options.instance,
    version: options.version,
    pid: process.pid,
    nonce: token(NONCE_BYTES),
    storage: isEphemeral ? 'ephemeral' : 'durable',
    startedAt: clock.realNow(),
    host: options.host === undefined ? undefined : inUrl(options.host),
    port: 0,
    url: '',
    readiness: { ready: false, reason: 'starting' },
  };
  const { clockAt } = options;
  if (clockAt !== undefined && isEphemeral) saveClockSetting(database, { mode: 'frozen', at: clockAt });
  const controlToken = control.token;
  const runtime = await startRuntime({
    store,
    database,
    snapshots: { folder, turns: createTurns(), key: snapshotKey },
    blobs,
    ...(!isEphemeral && { reserve: keepReserve(reserveFile(options)) }),
    anchorFile,
    keyring,
    clock,
    random,
    instance,
    localKeys: localKeys(paths.credentialsFile, {
      apiKeyFile: options.apiKeyFile,
      random,
      isDurable: !isEphemeral,
    }),
    controlToken,
    settings: options.settings,
    limits: options.limits,
    log: (line) => log.write(line),
    daemonScriptFile: options.daemonScriptFile,
    builtFile: (name) => Promise.resolve(readOwnFile(join(options.builtFolder, name))),
  });

  served = () => runtime.database;
  if (adopted) {
    await runtime.service.snapshots.begin(adopted.draft);
    imported.notices.push(...accessNotices(adopted.access, withAccess));
  }
  if (options.clockAt !== undefined) await runtime.service.freeze(options.clockAt);

  const listening = await listen(runtime, { port: options.port, ...defined({ host: options.host }) });
  undo.push(() => listening.close());
  instance.port = listening.port;
  instance.url = `http://${instance.host ?? '127.0.0.1'}:${listening.port}`;
  const began = processStart(instance.pid);
  const locator: Locator = {
    pid: instance.pid,
    url: instance.url,
    control_token: controlToken,
    version: instance.version,
    started_at: timestamp(instance.startedAt),
    nonce: instance.nonce,
    folder: folderNumber(paths.stateDirectory),
    ...defined({ process_start: began, options: options.options }),
  };
  // Not synced to disk: after a crash of the machine the daemon is gone, too.
  writePrivateFile(paths.locatorFile, `${JSON.stringify(locator)}\n`, { isDurable: false });
  instance.readiness = { ready: true };
  const stopWatching = watchStore({ refusal: () => runtime.service.queue.refusal, instance, log });
  runtime.begin();
  realTime.setImmediate(sweepTemporaryFolders);
  const { name, storage, url, version } = instance;
  log.write({ level: 'info', event: 'started', url, version, instance: name, storage });

  let exportProblem: string | undefined;
  const stop = async () => {
    stopWatching();
    instance.readiness = { ready: false, reason: 'stopping' };
    runtime.connections.finish();
    await runtime.stopLoading();
    await drain(listening, runtime);
    // Only times of last use are lost. A store that can't be written must not prevent the stop.
    await runtime.service.flush().catch(() => undefined);
    await blobs.abortWriters();
    exportProblem = await exportOnExit(runtime, options);
    runtime.service.queue.close();
    // A later daemon may have replaced it.
    if (readLocator(paths.locatorFile)?.nonce === instance.nonce) rmSync(paths.locatorFile, { force: true });
    store.close(runtime.database);
    if (isEphemeral) await Promise.all([blobs.destroy(), folder.destroy()]);
    if (exportProblem !== undefined) {
      writePrivateFile(exportFailure(paths), exportProblem);
      log.write({ level: 'error', event: 'export_failed', failure: exportProblem });
    }
    log.write({ level: 'info', event: 'stopped' });
    log.close();
    lock.release();
  };
  let stopped: Promise<void> | undefined;
  return {
    instance,
    notices: [...notices, ...imported.notices],
    stop: () => (stopped ??= stop()),
    get exportProblem() {
      return exportProblem;
    },
    unref: () => listening.unref(),
  };
}

function openStore(store: StoreHome, options: DaemonStartOptions): Database {
  const { isEphemeral, paths } = options;
  if (!isEphemeral) {
    makePrivateFolder(paths.dataDirectory);
    makeRoom(reserveFile(options));
  }
  try {
    return store.open();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'instance_running') throw error;
    throw new ServiceError(
      'instance_running',
      `Another daemon has the data directory ${paths.dataDirectory} open`,
      { cause: error },
    );
  }
}

/** Beside the store, or for an instance in memory in its state folder, which is removed when it stops. */
function folderOf({ isEphemeral, paths }: DaemonStartOptions, name: 'files' | 'snapshots'): string {
  return join(isEphemeral ? paths.stateDirectory : paths.dataDirectory, name);
}

/** Beside the locator, or beside the store when that is on a disk of its own. */
function reserveFile({ paths }: DaemonStartOptions): string {
  const isSameDisk = statSync(paths.dataDirectory).dev === statSync(paths.stateDirectory).dev;
  return join(isSameDisk ? paths.stateDirectory : paths.dataDirectory, 'reserve');
}

function keySourceOf(options: DaemonStartOptions): KeySourceOptions {
  return {
    ...options.keySource,
    instance: options.instance,
    dataDirectory: options.paths.dataDirectory,
    defaultKeyFile: options.paths.vaultKeyFile,
  };
}

/** Throws what a start would throw that has no key for the vault of this store, or finds the anchor of another. */
export async function requireKey(database: Database, options: DaemonStartOptions): Promise<void> {
  if (isUnused(database)) return;
  const { keyring } = await unlock(database, safeKeySource(options), realTime.now());
  refuseLoss(lossBeside(options, database, keyring));
}

function lossBeside(
  { paths }: DaemonStartOptions,
  database: Database,
  { snapshots }: Keyring,
): string | undefined {
  const { storeFile } = paths;
  return lossOf(storeFile, database) ?? foreignAnchor(anchorFileOf(storeFile), snapshots.anchorKey);
}

/** Another user who can replace the key file could substitute a key of their own for the next vault. */
function safeKeySource(options: DaemonStartOptions): KeySourceOptions {
  const source = keySourceOf(options);
  const folder = dirname(resolve(source.keyFile ?? source.defaultKeyFile));
  if (existsSync(folder)) requireOwnFolder(folder, { mayBeOfRoot: true });
  return source;
}

function alreadyRunning({ instance, paths }: DaemonStartOptions): ServiceError {
  const first = readLocator(paths.locatorFile);
  const where = first?.url === undefined ? '' : ` at ${first.url}, process ${first.pid ?? 'unknown'}`;
  return new ServiceError('instance_running', `Instance ${instance} is running already${where}`);
}

/** In the form of a URL or a Host header: IPv6 in brackets, lower case. */
function inUrl(host: string): string {
  return (host.includes(':') ? `[${host}]` : host).toLowerCase();
}

function token(bytes: number): string {
  return Buffer.from(secretBytes(bytes)).toString('base64url');
}

/** The content of a locator file; undefined when it is missing or unreadable. It may be stale. */
function readLocator(path: string): Partial<Locator> | undefined {
  const parsed = attempt(() => JSON.parse(readFileSync(path, 'utf8')) as Partial<Locator> | null);
  return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
}
