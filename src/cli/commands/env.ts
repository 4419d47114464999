import { string } from '@oclif/core/flags';
import { BaseCommand } from '../base-command.ts';
import { accessInstance } from '../lifecycle.ts';
import { liveFlag } from '../flags.ts';
import { assignments, SHELLS, shellOf, type Shell } from '../shell-quoting.ts';

type Variables = Record<string, string>;

export default class Env extends BaseCommand<Variables> {
  static override summary = 'Print address, API key and control token as environment variables';
  static override examples = [
    'eval "$(<%= config.bin %> env)"',
    '<%= config.bin %> env --shell fish | source',
    '<%= config.bin %> env --shell dotenv > .env',
  ];
  static override flags = {
    shell: string({
      summary: 'whose words to use (default: by $SHELL, else sh)',
      options: SHELLS,
      helpValue: 'SHELL',
    }),
    ...liveFlag,
  };

  async run(): Promise<Variables> {
    const { flags } = await this.parse(Env);
    // Not what an earlier run of this very command has left in the shell.
    const { baseUrl, keys, controlToken } = await accessInstance(await this.target);
    const variables = Object.fromEntries(
      Object.entries({
        KYCLONE_BASE_URL: baseUrl,
        KYCLONE_API_KEY: flags.live ? keys.live : keys.sandbox,
        KYCLONE_CONTROL_TOKEN: controlToken,
      }).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    const shell = (flags.shell as Shell | undefined) ?? shellOf(this.environment.shell);
    return this.present(variables, () => assignments(variables, shell));
  }
}
