import { string } from '@oclif/core/flags';
import { BaseCommand } from '../shell/base-command.ts';
import { UsageError } from '../shell/failure.ts';
import { createClient } from '../../client/client.ts';
import { accessByAddress, connectionOf, type DaemonAccess } from '../shell/daemon-access.ts';
import { accessInstance } from '../instance/lifecycle.ts';
import { liveFlag } from '../shell/flags.ts';
import { assignments, SHELLS, shellOf, type Shell } from '../shell/shell-quoting.ts';

type Variables = Record<string, string>;

export default class Env extends BaseCommand<Variables> {
  static override summary = 'Print address, API key and control token as environment variables';
  static override description =
    'Where KYCLONE_BASE_URL is set, they are those of the instance at that address, as inside kyclone exec, unless --instance names another.';
  static override examples = [
    'eval "$(<%= config.bin %> env)"',
    '--shell fish | source',
    '--shell dotenv > .env',
  ];
  static override flags = {
    shell: string({
      summary: 'syntax of the output (default: from $SHELL, else sh)',
      options: SHELLS,
      helpValue: 'SHELL',
    }),
    ...liveFlag,
  };

  async run(): Promise<Variables> {
    const { flags } = await this.parse(Env);
    if (flags.shell !== undefined && !this.isForPeople)
      throw new UsageError('--shell is the syntax of the text, and excludes --json, --output and --field');
    const { baseUrl, keys, controlToken } = await this.proven();
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

  /**
   * The credentials from the instance's locator; for an address that is none of the user's instances, those from the
   * environment.
   */
  private async proven(): Promise<DaemonAccess> {
    const { instance, address } = await this.meant;
    if (instance !== undefined || address === undefined) return await accessInstance(await this.target);
    const access = accessByAddress(this.environment, address);
    await createClient(connectionOf(access, false)).request({ method: 'GET', path: '/_kyclone/health' });
    return access;
  }
}
