/**
 * Records the programs that a command starts, with the whole command lines that other processes on the machine can see.
 */
import { missingTools } from '../torture/tools.ts';

export const canRecordStarts = missingTools(['strace']).length === 0;

/**
 * Returns the words to put before a command. They write each program start to a file, including those of child
 * processes.
 */
export function recordStarts(file: string): readonly string[] {
  const what = ['-f', '--seccomp-bpf', '-qq', '-s', '100000', '-e', 'trace=execve'];
  return ['strace', ...what, '-A', '-o', file, '--'];
}
