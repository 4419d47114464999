/**
 * A run of `kyclone exec`: an instance of its own, the command, and nothing left of either; and what is printed
 * besides the command's output: on stderr, as lines for people or as JSON.
 */
import { type ExecPlan, injectedVariables } from './plan.ts';
import { constants } from 'node:os';
import { readApiKeys, STOP_TIMEOUT_MS } from '../../client/discover.ts';
import { readPrivateJson } from '../../client/private-file.ts';
import type { DaemonAccess } from '../shell/daemon-access.ts';
import { startAttached, type AttachedDaemon } from '../instance/daemon-process.ts';
import { commandEnvironment, daemonEnvironment } from '../shell/environment.ts';
import { EXIT, SIGNAL_EXIT_BASE } from '../shell/exit-codes.ts';
import { CliError } from '../shell/failure.ts';
import { runCommand, catchSignals, type CaughtSignals } from './command.ts';
import { applyFixtures } from './fixtures.ts';
import { makeHome, type ThrowAwayHome } from './home.ts';
import { reportFailure } from '../shell/report-failure.ts';
import { lastLines } from '../instance/log-file.ts';
import { printable, type Style } from '../shell/output.ts';
import { logLineView } from '../instance/view.ts';

const READER_GONE = SIGNAL_EXIT_BASE + constants.signals.SIGPIPE;

export interface ExecEnd {
  readonly exitCode: number;
  /** The daemon's log, kept because the command failed. */
  readonly keptLog: string | undefined;
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
      if (end.keepsLog) return { exitCode: end.exitCode, keptLog: home.removeButLog() };
      home.remove();
      return { exitCode: end.exitCode, keptLog: undefined };
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

interface CommandEnd {
  readonly exitCode: number;
  readonly keepsLog: boolean;
}

async function inHome(plan: ExecPlan, { home, signals, reports }: Run): Promise<CommandEnd> {
  const daemon = startAttached(
    {
      root: plan.root,
      paths: home.paths,
      options: [...plan.options, '--remove-home'],
      environment: daemonEnvironment(home.path),
    },
    home.logFile,
  );
  let exitCode: number | undefined;
  try {
    exitCode = await besideDaemon(plan, daemon, { home, signals, reports });
  } finally {
    const wasAlive = daemon.process.exitCode === null && daemon.process.signalCode === null;
    const stopped = await stop(daemon);
    if (wasAlive && stopped !== EXIT.ok && exitCode !== undefined) {
      reports.trouble(stoppedBadly(stopped));
      exitCode ||= EXIT.failed;
    }
  }
  // A user who pressed Ctrl-C knows why the command has ended. A reader that wants no more, such as head, is no failure.
  const isFailure = exitCode !== EXIT.ok && exitCode !== READER_GONE && !signals.wasInterrupted;
  return { exitCode, keepsLog: isFailure };
}

async function besideDaemon(plan: ExecPlan, daemon: AttachedDaemon, { home, signals, reports }: Run) {
  const ready = await Promise.race([daemon.ready, signals.caught.then(endedBy)]);
  for (const notice of ready.notices) reports.notice(notice);
  const access = accessOf(ready.url, home);
  await applyFixtures(plan.fixtures, access, { consequence: 'the command was not run' });
  if (signals.first !== undefined) endedBy(signals.first);

  let isOver = false;
  void daemon.ended.then((code) => {
    if (!isOver) reports.trouble(diedEarly(code));
  });
  const variables = injectedVariables(
    {
      url: access.baseUrl,
      apiKey: access.keys.sandbox ?? '',
      liveApiKey: access.keys.live ?? '',
      controlToken: access.controlToken ?? '',
    },
    plan.templates,
  );
  try {
    return await runCommand(plan.command, { environment: commandEnvironment(variables), signals });
  } finally {
    isOver = true;
  }
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

interface FailureReport {
  readonly asJson: boolean;
  readonly style: Style;
  /** How many lines of the log. */
  readonly lines: number;
}

export function execReports({ asJson, style, lines }: FailureReport): ExecReports {
  return {
    notice(text) {
      if (!asJson) process.stderr.write(`${printable(text)}\n`);
    },
    trouble: (failure) => reportFailure(failure, { asJson, isDebugging: false }),
    lastWords(logFile) {
      if (!asJson) process.stderr.write(linesOf(logFile, lines, style));
    },
  };
}

/** For a command that failed: the end of the daemon's log, and where the whole of it is. */
export function reportFailedRun(
  { exitCode, keptLog }: ExecEnd,
  { asJson, style, lines }: FailureReport,
): void {
  if (keptLog === undefined) return;
  if (asJson) {
    const failure = new CliError('The command failed', {
      code: 'command_failed',
      exitCode,
      context: { log_file: keptLog },
    });
    reportFailure(failure, { asJson, isDebugging: false });
    return;
  }
  const heading = `The command ended with ${exitCode}. The daemon's log is kept: ${printable(keptLog)}`;
  process.stderr.write(`${style.bold(heading)}\n${linesOf(keptLog, lines, style)}`);
}

function linesOf(file: string, count: number, style: Style): string {
  const found = lastLines(file, count)?.lines ?? [];
  return found.map((line) => `${style.dim(`  ${printable(logLineView(line))}`)}\n`).join('');
}
