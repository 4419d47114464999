/** The error for a command line that names no command. */
import { UsageError } from '../shell/failure.ts';
import { suggest } from './suggest.ts';

/** `argv` begins with the first word that isn't a global flag. `ids` are those of all commands. */
export function notACommand(argv: readonly string[], ids: readonly string[]): UsageError {
  const { typed, commands, topic, advice } = suggest(argv, ids);
  const words = typed.join(' ');
  const isTopic = ids.some((id) => id.startsWith(`${typed.join(':')}:`));
  const meant = commands
    .map((command) => `"kyclone ${command}"`)
    .join(', ')
    .replace(/, (?!.*, )/, ' or ');
  const problem =
    typed.length === 0
      ? 'There is no such command'
      : `kyclone ${words} ${isTopic ? (meant === '' ? 'has no such command' : 'needs a command') : 'is not a command'}`;
  return new UsageError(
    meant === '' ? problem : `${problem}; did you mean ${meant}?`,
    advice ?? hint(commands, topic, ids),
  );
}

function hint(commands: readonly string[], topic: string | undefined, ids: readonly string[]): string {
  const [command = '', ...others] = commands;
  if (command === '' && topic !== undefined) return `kyclone ${topic} --help lists the commands of ${topic}`;
  const name = ids.map((id) => id.replaceAll(':', ' ')).find((each) => `${command} `.startsWith(`${each} `));
  if (name !== undefined && others.length === 0) return `kyclone ${name} --help`;
  return 'kyclone --help lists the commands';
}
