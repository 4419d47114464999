import { boolean } from '@oclif/core/flags';
import { once } from 'node:events';
import { BaseCommand } from '../shell/base-command.ts';
import { untilEnd } from '../shell/ending.ts';
import { EXIT } from '../shell/exit-codes.ts';
import { UsageError } from '../shell/failure.ts';

export default class Mcp extends BaseCommand<undefined> {
  static override summary = 'Serve coding assistants over standard input and output (MCP)';
  static override description =
    'It reads failed requests with their hints, explains proxy calls and lists identifiers; with --allow-changes it also ' +
    'sets outcomes, faults and the clock, and creates people. It uses only the sandbox, masks values and reveals nothing. ' +
    'The configuration of an assistant starts it, and closing its input ends it.';
  static override examples = [
    "As the command in an assistant's configuration:\n",
    'With what changes the instance, of the instance staging:\n--allow-changes --instance staging',
  ];
  static override flags = {
    'allow-changes': boolean({ summary: 'also serve the tools that change the instance' }),
  };

  async run(): Promise<undefined> {
    const { flags } = await this.parse(Mcp);
    if (process.stdin.isTTY)
      throw new UsageError(
        'mcp speaks with a program over its standard input, which is a terminal here',
        'docs/assistants.md shows how to configure an assistant for it',
      );
    const { serve } = await import('../mcp/server.ts');
    const exitCode = await untilEnd(async (ending) => {
      const server = await serve({
        version: this.config.version,
        allowsChanges: flags['allow-changes'],
        operator: this.operator,
        find: this.find,
      });
      void once(process.stdin, 'end').then(
        () => ending.end(EXIT.ok),
        () => ending.end(EXIT.failed),
      );
      await ending.exitCode;
      await server.stop();
    });
    this.endWith(exitCode);
    return undefined;
  }
}
