/** Whether a process that was noted down is still that process: pids are used again. */
import { readFileSync, readlinkSync } from 'node:fs';

export interface NotedProcess {
  readonly pid: number;
  /** As `processStart` gave it; undefined where the system doesn't report it. */
  readonly processStart?: string | undefined;
}

/**
 * When a process began, in ticks since the machine's start: with the pid it names the process for as long as the
 * machine runs. Undefined where there is no such process, or no /proc to read it from.
 */
export function processStart(pid: number): string | undefined {
  return fieldsOfProcess(pid)?.[STARTED];
}

/**
 * The number of the space in which this process's pids mean something: containers have one each. Undefined where the
 * system doesn't report it.
 */
export function processSpace(): string | undefined {
  try {
    return /^pid:\[(\d+)\]$/.exec(readlinkSync('/proc/self/ns/pid'))?.[1];
  } catch {
    return undefined;
  }
}

/** False when the process has ended, also where another one has its pid by now. */
export function isStillThere({ pid, processStart: noted }: NotedProcess): boolean {
  if (!hasProcess(pid)) return false;
  const fields = fieldsOfProcess(pid);
  // One that has ended stays in the list until its parent has asked how.
  if (fields?.[STATE] === 'Z') return false;
  return noted === undefined || fields === undefined || fields[STARTED] === noted;
}

/** Places in what follows the name of the program in /proc/PID/stat, see proc(5). */
const STATE = 0;
const STARTED = 19;

function fieldsOfProcess(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in parentheses and may hold any character.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** Signal 0 asks whether a process exists and sends nothing; EPERM means that it does, under another user. */
function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
