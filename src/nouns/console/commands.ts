import { boolean, option, string } from '@oclif/core/flags';
import { ENVIRONMENTS } from '../entities/facts.ts';
import { PERMISSIONS } from '../../contract/facts/permissions.ts';
import { counted } from '../../kernel/text/count-text.ts';
import { defined } from '../../kernel/defined.ts';
import { made } from '../../cli/shell/derived.ts';
import { nonEmpty, repeatable } from '../../cli/shell/flags.ts';

interface ConsoleLink {
  /** Its code works once, within a minute. */
  readonly url: string;
  readonly expires_at: string;
  readonly opened: boolean;
}
type Revoked = { readonly revoked: number };

const OF_SESSION = ['readonly', 'permission', 'environment', 'tenant'] as const;

export default {
  console: made(
    {
      summary: 'Open the console in the browser: users, their data and events on a page',
      description:
        'The link works once, within a minute, and opens a session of eight hours under the name of --as. ' +
        'Without a desktop, or for data output, the address is printed: give it to nobody. ' +
        `--permission limits what the session may do: ${PERMISSIONS.join(', ')}, or decrypt: and an identifier or pattern.`,
      examples: [
        '--as "Ada Desk"',
        '--print --readonly',
        '--print --as Bo --permission review --permission decrypt:id.email',
        '--revoke',
      ],
      flags: {
        print: boolean({ summary: 'print the address, open nothing' }),
        readonly: boolean({ summary: 'change nothing and reveal nothing' }),
        permission: string({
          summary: 'a permission of the session; repeatable, or with commas (default: all)',
          aliases: ['permissions'],
          ...repeatable,
        }),
        environment: option({
          summary: 'the environment it begins in (default: sandbox)',
          options: ENVIRONMENTS,
        })(),
        tenant: nonEmpty({ summary: 'the tenant it acts for (default: default)', helpValue: 'NAME' }),
        revoke: boolean({
          summary: 'end every session of the console, of all operators, and void every link',
          exclusive: ['print', 'as', ...OF_SESSION],
        }),
      },
      view: (result: ConsoleLink | Revoked) =>
        'url' in result ? linkView(result) : `Ended ${counted(result.revoked, 'session')} of the console`,
    },
    async ({ flags }, { client, operator, isForPeople, environment: { hasDesktop }, note }) => {
      if (flags.revoke) return await client.call('DELETE /_kyclone/console/sessions');
      const { permission, environment, tenant } = flags;
      const { url, expires_at } = await client.call('POST /_kyclone/console/codes', {
        body: defined({
          operator,
          is_readonly: flags.readonly,
          permissions: permission?.flatMap((words) => words.split(',').map((word) => word.trim())),
          environment,
          tenant,
        }),
      });
      const { openPrivately } = await import('../../cli/shell/open-privately.ts');
      const seesBrowser = !flags.print && isForPeople && hasDesktop;
      return { url, expires_at, opened: await openPrivately(url, { seesBrowser, note }) };
    },
  ),
};

/** A link that a browser has followed is used up. */
function linkView({ url, opened }: ConsoleLink): string {
  return opened ? `Opened ${url.replace(/#.*/, '')}` : url;
}
