/** What a command needs beside its own file: each problem says which command, what is missing, and where it belongs. */
import { OUTPUTS } from '../cli/capabilities/outputs.ts';
import { isNeverDry, mayRunDry } from '../cli/shell/dry-run-commands.ts';
import type { CommandManifest } from './command-surface.ts';

const LEAST_EXAMPLES = 2;

/** `topics`: those that package.json describes, by name; `outputs`: what commands print under `--json`, by their ids. */
export function commandProblems(
  { commands }: Pick<CommandManifest, 'commands'>,
  topics: Readonly<Record<string, unknown>>,
  outputs: Readonly<Record<string, string | readonly string[]>> = OUTPUTS,
): string[] {
  const ofCommands = Object.values(commands).flatMap(({ id, examples = [] }) => {
    const name = id.replaceAll(':', ' ');
    const output = Object.hasOwn(outputs, id) ? outputs[id] : undefined;
    return [
      ...(output === undefined
        ? [`${name}: say in src/cli/capabilities/outputs.ts what it prints under --json`]
        : []),
      ...(examples.length < LEAST_EXAMPLES ? [`${name}: its help needs ${LEAST_EXAMPLES} examples`] : []),
      ...(callsApi(output) && !mayRunDry(id) && !isNeverDry(id)
        ? [
            `${name}: calls the API and refuses --dry-run: name its topic in src/cli/shell/dry-run-commands.ts`,
          ]
        : []),
    ];
  });
  const names = new Set(Object.values(commands).flatMap(({ id }) => topicsOf(id)));
  const ofTopics = [...names]
    .filter((topic) => !Object.hasOwn(topics, topic))
    .map((topic) => `${topic}: describe this topic in package.json, under oclif.topics`);
  return [...ofCommands, ...ofTopics];
}

/** Outputs of the API are keys of endpoints, such as `GET /users`. */
function callsApi(output: string | readonly string[] | undefined): boolean {
  return [output ?? []].flat().some((each) => each.includes(' /'));
}

/** `proxy` and `proxy:configs` of `proxy:configs:list`. */
function topicsOf(id: string): string[] {
  const words = id.split(':');
  return words.slice(1).map((_, index) => words.slice(0, index + 1).join(':'));
}
