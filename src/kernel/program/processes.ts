/** Checks whether a recorded process is still the same process, since pids are reused. */
import { attempt } from '../attempt.ts';
import { readFileSync, readlinkSync } from 'node:fs';

export interface NotedProcess {
  readonly pid: number;
  /** The value of `processStart`; undefined where the system doesn't report it. */
  readonly processStart?: string | undefined;
}

/**
 * When a process began, in ticks since the machine's start. Together with the pid it identifies the process until the
 * machine restarts. Undefined when there is no such process, or no /proc to read it from.
 */
export function processStart(pid: number): string | undefined {
  return fieldsOfProcess(pid)?.[STARTED];
}

/** The id of this process's pid namespace; each container has its own. Undefined where the system doesn't report it. */
export function processSpace(): string | undefined {
  return attempt(() => /^pid:\[(\d+)\]$/.exec(readlinkSync('/proc/self/ns/pid'))?.[1]);
}

/** Used in a mark when the system doesn't report the value. */
const UNKNOWN = '0';

/** Identifies this process in the name of a file or folder: namespace, pid and start. */
export function ownMark(): string {
  return [processSpace() ?? UNKNOWN, process.pid, processStart(process.pid) ?? UNKNOWN].join('-');
}

/** Whether the process of a mark is known to have ended; that of another container looks so from here, and isn't. */
export function hasEnded(mark: string): boolean {
  const [space, pid, start] = mark.split('-');
  if (space !== (processSpace() ?? UNKNOWN)) return false;
  return !isStillThere({ pid: Number(pid), processStart: start === UNKNOWN ? undefined : start });
}

/** False when the process has ended, even if another one has its pid. */
export function isStillThere({ pid, processStart: noted }: NotedProcess): boolean {
  if (!hasProcess(pid)) return false;
  const fields = fieldsOfProcess(pid);
  // A zombie: it has ended, but its parent has not yet collected its exit status.
  if (fields?.[STATE] === 'Z') return false;
  return noted === undefined || fields === undefined || fields[STARTED] === noted;
}

/** Positions among the fields after the program's name in /proc/PID/stat, see proc(5). */
const STATE = 0;
const STARTED = 19;

function fieldsOfProcess(pid: number): string[] | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The name is in parentheses and may contain any character.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Signal 0 only checks that a process exists. EPERM means that it exists and belongs to another user. */
function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Runs `act` before a signal ends the process. With another listener of the signal the process goes on, as that one
 * decides. Returns a function that cancels this.
 */
export function beforeSignals(act: () => void, process = globalThis.process): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const end = (signal: NodeJS.Signals) => {
    release();
    act();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const release = () => {
    for (const signal of signals) process.off(signal, end);
  };
  // First, so that a listener that hears the signal only once still counts.
  for (const signal of signals) process.prependListener(signal, end);
  return release;
}
