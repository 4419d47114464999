/** Which programs a command starts, each with its whole command line, as other processes of the machine see them. */
import { missingTools } from '../torture/tools.ts';

export const canRecordStarts = missingTools(['strace']).length === 0;

/** The words before a command that have each start of a program written to a file, those of children included. */
export function recordStarts(file: string): readonly string[] {
  const what = ['-f', '--seccomp-bpf', '-qq', '-s', '100000', '-e', 'trace=execve'];
  return ['strace', ...what, '-A', '-o', file, '--'];
}
