/** The options of the scripts of package.json. */
import { parseArgs, type ParseArgsConfig } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/** What was wrong on the command line of a script, and what it takes. */
export class OptionError extends Error {}

/** Throws OptionError for anything else than these options. */
export function scriptOptions<const O extends Options>(
  script: string,
  options: O,
  args: readonly string[] = process.argv.slice(2),
) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    // The rest of the message is advice about arguments that begin with a dash.
    const [what = ''] = (error as Error).message.split(/\.\s/);
    const taken = Object.entries(options).map(([name, { type }]) =>
      type === 'string' ? `--${name} VALUE` : `--${name}`,
    );
    throw new OptionError(`${what}: npm run ${script} takes ${taken.join(', ')}`);
  }
}

/** Ends the script with 2 after a sentence about a wrong option. Throws any other error. */
export function endForOption(script: string, error: unknown): void {
  if (!(error instanceof OptionError)) throw error;
  process.stderr.write(`${script}: ${error.message}\n`);
  process.exitCode = 2;
}
