/**
 * A run of `kyclone exec`: an instance of its own, the command, and nothing left of either. Where the command fails, the
 * instance is asked for what it knows before it stops.
 */
import { type ExecPlan, injectedVariables } from './plan.ts';
import { constants } from 'node:os';
import { join } from 'node:path';
import { readApiKeys, STOP_TIMEOUT_MS } from '../../client/discover.ts';
import { readPrivateJson } from '../../client/private-file.ts';
import type { DaemonAccess } from '../shell/daemon-access.ts';
import { startAttached, type AttachedDaemon } from '../instance/daemon-process.ts';
import { commandEnvironment, daemonEnvironment } from '../shell/environment.ts';
import { EXIT, SIGNAL_EXIT_BASE } from '../shell/exit-codes.ts';
import { CliError } from '../shell/failure.ts';
import { runCommand, catchSignals, type CaughtSignals, type CommandEnd } from './command.ts';
import { collectEvidence, type Evidence } from './evidence.ts';
import { applyFixtures } from './fixtures.ts';
import { makeHome, type ThrowAwayHome } from './home.ts';
import { REPORTED_LOG, writeReport } from './report.ts';

const READER_GONE = SIGNAL_EXIT_BASE + constants.signals.SIGPIPE;

export interface ExecEnd {
  readonly exitCode: number;
  /** Undefined where the command was done, or its user or reader wanted no more of it. */
  readonly failed: FailedRun | undefined;
}

export interface FailedRun {
  /** Milliseconds of `--timeout`, where it ended the command. */
  readonly timedOutAfter: number | undefined;
  /** What kept the command from being run: a fixture that failed. */
  readonly failure: CliError | undefined;
  readonly evidence: Evidence;
  /** The daemon's log. */
  readonly logFile: string;
  /** The folder of the report, in which the log is, too. */
  readonly report: string | undefined;
}

export interface ExecReports {
  notice(text: string): void;
  /** Something went wrong that the command's exit code doesn't show. */
  trouble(failure: CliError): void;
  /** A start that failed without a word: what it wrote. */
  lastWords(logFile: string): void;
}

/** Throws CliError where the command could not be run; its exit code else is the command's own. */
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
  /** What a failed run leaves to look at. */
  readonly evidence: Evidence | undefined;
}

/** The report and the log of a run that failed; what its instance had is removed. */
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
  try {
    await applyFixtures(plan.fixtures, access, { consequence: 'the command was not run' });
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
    const environment = commandEnvironment(injectedVariables(injected(access), templates));
    const end = await runCommand(command, { environment, signals, limit });
    // A user who pressed Ctrl-C knows why the command has ended. A reader that wants no more, such as head, is no failure.
    const isFailure = end.exitCode !== EXIT.ok && end.exitCode !== READER_GONE && !signals.wasInterrupted;
    return { ...end, failure: undefined, evidence: isFailure ? await evidenceOf() : undefined };
  } finally {
    isOver = true;
  }
}

function injected({ baseUrl, keys, controlToken }: DaemonAccess) {
  return {
    url: baseUrl,
    apiKey: keys.sandbox ?? '',
    liveApiKey: keys.live ?? '',
    controlToken: controlToken ?? '',
  };
}

/** The daemon is our child and its home is nobody else's: what it has written there needs no proof. */
function accessOf(baseUrl: string, { paths }: ThrowAwayHome): DaemonAccess {
  const token = readPrivateJson(paths.locatorFile)?.['control_token'];
  return {
    baseUrl,
    keys: readApiKeys(paths.credentialsFile),
    controlToken: typeof token === 'string' ? token : undefined,
    locator: undefined,
  };
}

/** Ends the daemon with SIGTERM, and kills it when it hangs. Returns its exit code. */
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
    exitCode: SIGNAL_EXIT_BASE + constants.signals[signal],
  });
}

/** Such as one that could not write what --export-on-exit asks for. */
function stoppedBadly(code: number): CliError {
  return new CliError(`The daemon failed when it stopped (exit code ${code})`, {
    code: 'daemon_failed',
    exitCode: EXIT.failed,
  });
}

function diedEarly(code: number): CliError {
  return new CliError(`The daemon has ended (exit code ${code}) while the command runs`, {
    code: 'daemon_died',
    exitCode: EXIT.unreachable,
  });
}
