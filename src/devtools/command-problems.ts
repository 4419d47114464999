/**
 * Checks what a command needs outside its own file. Each problem names the command, what is missing, and where to add
 * it.
 */
import { outputsOf } from '../cli/capabilities/outputs.ts';
import { isNeverDry, mayRunDry } from '../cli/shell/dry-run-commands.ts';
import type { CommandManifest } from './command-surface.ts';

const LEAST_EXAMPLES = 2;

/** `topics`: topics described in package.json, by name. */
export function commandProblems(
  { commands }: Pick<CommandManifest, 'commands'>,
  topics: Readonly<Record<string, unknown>>,
): string[] {
  const ofCommands = Object.values(commands).flatMap(({ examples = [], ...command }) => {
    const { id } = command;
    const name = id.replaceAll(':', ' ');
    const outputs = outputsOf(command);
    return [
      ...(outputs.length === 0
        ? [`${name}: say in src/cli/capabilities/outputs.ts what it prints under --json`]
        : []),
      ...(examples.length < LEAST_EXAMPLES ? [`${name}: its help needs ${LEAST_EXAMPLES} examples`] : []),
      ...(callsApi(outputs) && !mayRunDry(id) && !isNeverDry(id)
        ? [`${name}: calls the API and refuses --dry-run: add its topic to src/cli/shell/dry-run-commands.ts`]
        : []),
    ];
  });
  const names = new Set(Object.values(commands).flatMap(({ id }) => topicsOf(id)));
  const ofTopics = [...names]
    .filter((topic) => !Object.hasOwn(topics, topic))
    .map((topic) => `${topic}: describe this topic in package.json, under oclif.topics`);
  return [...ofCommands, ...ofTopics];
}

/** API outputs are endpoint keys, such as `GET /users`. */
function callsApi(outputs: readonly string[]): boolean {
  return outputs.some((each) => each.includes(' /'));
}

/** Returns `proxy` and `proxy:configs` for `proxy:configs:list`. */
function topicsOf(id: string): string[] {
  const words = id.split(':');
  return words.slice(1).map((_, index) => words.slice(0, index + 1).join(':'));
}
