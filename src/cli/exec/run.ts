/**
 * A run of `kyclone exec`: an instance of its own, the command, and cleanup of both. If the command fails, the
 * evidence is collected before the instance stops.
 */
import { renameSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readApiKeys, STOP_TIMEOUT_MS } from '../../client/discover.ts';
import { readPrivateJson } from '../../client/private-file.ts';
import { type InstancePaths, instancePaths, pathBases } from '../../kernel/files/paths.ts';
import { sweepTemporaryFolders } from '../../kernel/files/temporary-folders.ts';
import { makeThrowAwayHome } from '../../kernel/files/throw-away-home.ts';
import { startAttached, type AttachedDaemon } from '../instance/daemon-process.ts';
import type { DaemonAccess } from '../shell/daemon-access.ts';
import { commandEnvironment, daemonEnvironment, DEFAULT_INSTANCE } from '../shell/environment.ts';
import { EXIT, exitCodeOfSignal } from '../shell/exit-codes.ts';
import { CliError } from '../shell/failure.ts';
import { temporaryFolder } from '../shell/files.ts';
import { runCommand, catchSignals, type CaughtSignals, type CommandEnd } from './command.ts';
import { collectEvidence, type Evidence } from './evidence.ts';
import { applyFixtures } from './fixtures.ts';
import { type ExecPlan, injectedVariables, outputVariables } from './plan.ts';
import { REPORTED_LOG, writeReport } from './report.ts';

// The folder of a throw-away instance: private, in the system's folder for temporary files. The log is beside the
// instance's home, so that it can be kept when the home is removed. A kept log has a name of another form, which is not
// swept.

const HOME = 'home';
const LOG = 'daemon.log';

/** The folder's path when only a kept log is left in it. */
function keptPath(folder: string): string {
  return join(dirname(folder), basename(folder).replace('kyclone-exec-', 'kyclone-exec-log-'));
}

interface ThrowAwayHome {
  /** KYCLONE_HOME of the daemon. */
  readonly path: string;
  readonly paths: InstancePaths;
  readonly logFile: string;
  /** Removes everything except a log with a given name. */
  remove(): void;
  /** Removes the instance's data. Returns the path of the log, which stays. */
  removeButLog(): string;
}

/**
 * Creates the home. A log file that the caller names stays. Leftovers of killed runs are removed before and after,
 * because a daemon may take as long as this run to stop.
 */
function makeHome(namedLog: string | undefined): ThrowAwayHome {
  sweepTemporaryFolders();
  const folder = temporaryFolder('exec');
  const path = join(folder, HOME);
  makeThrowAwayHome(path);
  const logFile = namedLog === undefined ? join(folder, LOG) : resolve(namedLog);
  return {
    path,
    paths: instancePaths(pathBases({ KYCLONE_HOME: path }, process.platform, path), DEFAULT_INSTANCE),
    logFile,
    remove() {
      rmSync(folder, { recursive: true, force: true });
      sweepTemporaryFolders();
    },
    removeButLog() {
      rmSync(path, { recursive: true, force: true });
      sweepTemporaryFolders();
      if (namedLog !== undefined) {
        rmdirSync(folder);
        return logFile;
      }
      const kept = keptPath(folder);
      renameSync(folder, kept);
      return join(kept, LOG);
    },
  };
}

const READER_GONE = exitCodeOfSignal('SIGPIPE');

export interface ExecEnd {
  readonly exitCode: number;
  /** Undefined if the command succeeded, was interrupted by the user, or lost its reader. */
  readonly failed: FailedRun | undefined;
}

export interface FailedRun {
  /** Milliseconds of `--timeout`, if it ended the command. */
  readonly timedOutAfter: number | undefined;
  /** The failed fixture that prevented the command from running. */
  readonly failure: CliError | undefined;
  readonly evidence: Evidence;
  readonly logFile: string;
  /** The folder of the report, which also contains the log. */
  readonly report: string | undefined;
}

export interface ExecReports {
  notice(text: string): void;
  /** Reports a problem that the command's exit code doesn't show. */
  trouble(failure: CliError): void;
  /** Reports the output of a start that failed without an error message. */
  lastWords(logFile: string): void;
}

/** Throws CliError when the command could not be run. Otherwise the exit code is the command's own. */
export async function runExec(plan: ExecPlan, reports: ExecReports): Promise<ExecEnd> {
  const signals = catchSignals();
  try {
    const home = makeHome(plan.logFile);
    try {
      const end = await inHome(plan, { home, signals, reports });
      if (end.evidence === undefined) {
        home.remove();
        return { exitCode: end.exitCode, failed: undefined };
      }
      return {
        exitCode: end.exitCode,
        failed: keep(plan, { ...end, evidence: end.evidence, home, reports }),
      };
    } catch (error) {
      if (error instanceof CliError && error.code === 'daemon_failed') reports.lastWords(home.logFile);
      home.remove();
      throw error;
    }
  } finally {
    signals.release();
  }
}

interface Run {
  readonly home: ThrowAwayHome;
  readonly signals: CaughtSignals;
  readonly reports: ExecReports;
}

interface RunEnd extends CommandEnd {
  readonly failure: CliError | undefined;
  readonly evidence: Evidence | undefined;
}

/** Keeps the report and the log of a failed run. Removes the data of its instance. */
function keep(
  plan: ExecPlan,
  { home, reports, ...end }: RunEnd & { evidence: Evidence; home: ThrowAwayHome; reports: ExecReports },
): FailedRun {
  const { failure, evidence, exitCode, isTimedOut } = end;
  const timedOutAfter = isTimedOut ? plan.limit?.timeoutMs : undefined;
  const failed = { timedOutAfter, failure, evidence };
  if (plan.report !== undefined) {
    try {
      const run = { program: plan.command[0], exitCode, timedOutAfter, failure };
      writeReport(plan.report, { evidence, run, logFile: home.logFile, parameter: '--report' });
      home.remove();
      return { ...failed, logFile: join(plan.report, REPORTED_LOG), report: plan.report };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      reports.trouble(error);
    }
  }
  return { ...failed, logFile: home.removeButLog(), report: undefined };
}

async function inHome(plan: ExecPlan, { home, signals, reports }: Run): Promise<RunEnd> {
  const daemon = startAttached(
    {
      root: plan.root,
      paths: home.paths,
      options: [...plan.options, '--remove-home'],
      environment: daemonEnvironment(home.path),
    },
    home.logFile,
  );
  let end: RunEnd | undefined;
  let stopped: number | undefined;
  try {
    end = await besideDaemon(plan, daemon, { home, signals, reports });
  } finally {
    const wasAlive = daemon.process.exitCode === null && daemon.process.signalCode === null;
    const exitCode = await stop(daemon);
    if (wasAlive && exitCode !== EXIT.ok && end !== undefined) stopped = exitCode;
  }
  if (stopped === undefined) return end;
  reports.trouble(stoppedBadly(stopped));
  const evidence = signals.wasInterrupted ? undefined : (end.evidence ?? NO_EVIDENCE);
  return { ...end, exitCode: end.exitCode || EXIT.failed, evidence };
}

const NO_EVIDENCE: Evidence = { failed: [], report: undefined, gap: undefined };

async function besideDaemon(
  plan: ExecPlan,
  daemon: AttachedDaemon,
  { home, signals, reports }: Run,
): Promise<RunEnd> {
  const ready = await Promise.race([daemon.ready, signals.caught.then(endedBy)]);
  for (const notice of ready.notices) reports.notice(notice);
  const access = accessOf(ready.url, home);
  const evidenceOf = () => collectEvidence(access, plan.report !== undefined);
  let outputs: Readonly<Record<string, string>>;
  try {
    outputs = outputVariables(
      await applyFixtures(plan.fixtures, access, { consequence: 'the command was not run' }),
    );
  } catch (error) {
    if (plan.report === undefined || !(error instanceof CliError)) throw error;
    const { exitCode } = error;
    return { exitCode, isTimedOut: false, failure: error, evidence: await evidenceOf() };
  }
  if (signals.first !== undefined) endedBy(signals.first);

  let isOver = false;
  void daemon.ended.then((code) => {
    if (!isOver) reports.trouble(diedEarly(code));
  });
  try {
    const { command, limit, templates } = plan;
    const environment = commandEnvironment({ ...outputs, ...injectedVariables(access, templates) });
    const end = await runCommand(command, { environment, signals, limit });
    // A user who pressed Ctrl-C knows why the command ended. A reader that closed the pipe, such as head, is not a
    // failure.
    const isFailure = end.exitCode !== EXIT.ok && end.exitCode !== READER_GONE && !signals.wasInterrupted;
    return { ...end, failure: undefined, evidence: isFailure ? await evidenceOf() : undefined };
  } finally {
    isOver = true;
  }
}

/** The daemon is our child and its home is private, so the files that it wrote there need no proof. */
function accessOf(baseUrl: string, { paths }: ThrowAwayHome): DaemonAccess {
  const token = readPrivateJson(paths.locatorFile)?.['control_token'];
  return {
    baseUrl,
    keys: readApiKeys(paths.credentialsFile),
    controlToken: typeof token === 'string' ? token : undefined,
    locator: undefined,
  };
}

/** Ends the daemon with SIGTERM, and kills it if it hangs. Returns its exit code. */
async function stop(daemon: AttachedDaemon): Promise<number> {
  daemon.process.kill('SIGTERM');
  const timer = setTimeout(() => daemon.process.kill('SIGKILL'), STOP_TIMEOUT_MS);
  const exitCode = await daemon.ended;
  clearTimeout(timer);
  return exitCode;
}

function endedBy(signal: NodeJS.Signals): never {
  throw new CliError(`Ended by ${signal} before the command began`, {
    code: 'cancelled',
    exitCode: exitCodeOfSignal(signal),
  });
}

/** For example, it could not write the file of --export-on-exit. */
function stoppedBadly(code: number): CliError {
  return new CliError(`The daemon failed when it stopped (exit code ${code})`, { code: 'daemon_failed' });
}

function diedEarly(code: number): CliError {
  return new CliError(`The daemon has ended (exit code ${code}) while the command runs`, {
    code: 'daemon_died',
  });
}
