/** The commands that make one call, with their endpoints (src/cli/shell/derived.ts). */
import { entityEndpoint, type EntityKey } from '../../src/client/entity-endpoint.ts';
import { endpoints } from '../../src/contract/registry.ts';
import commands from '../../src/devtools/every-command.ts';

export interface Declared {
  readonly type?: 'boolean' | 'option';
  readonly required?: boolean;
  readonly multiple?: boolean;
  readonly options?: readonly string[];
  readonly aliases?: readonly string[];
  readonly parse?: (text: string, context: object, options: object) => Promise<unknown>;
}
export interface Command {
  new (argv: string[], config: object): { run(): Promise<unknown> };
  readonly endpoint?: string;
  readonly args?: Readonly<Record<string, Declared>>;
  readonly flags?: Readonly<Record<string, Declared>>;
}

export const everyCommand = Object.entries(commands as unknown as Record<string, Command>);

export const derivedCommands = everyCommand.flatMap(([id, command]) => {
  const { endpoint: given, args = {}, flags = {} } = command;
  if (given === undefined) return [];
  const entity = id.startsWith('businesses:') ? 'fp_bid_x' : 'fp_id_x';
  const key = given.includes(' /{entity}') ? entityEndpoint(given as EntityKey, entity).key : given;
  return [{ id, command, args, flags, key, endpoint: endpoints.find((each) => each.key === key) }];
});

/** Runs a command on these members in place of its own. */
export async function runOn(command: Command, stood: object): Promise<unknown> {
  const tried = new command([], { root: '/', version: '1' });
  const usual = {
    operator: 'Ada',
    access: () => Promise.resolve({ controlToken: 't', keys: {} }),
    input: { secret: (text: string) => Promise.resolve(text), line: () => Promise.resolve('asked') },
    confirmLoss: () => Promise.resolve(),
  };
  for (const [name, value] of Object.entries({ ...usual, ...stood }))
    Object.defineProperty(tried, name, { value });
  return await tried.run();
}
