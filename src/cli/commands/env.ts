import { string } from '@oclif/core/flags';
import { made, type From } from '../shell/derived.ts';
import { UsageError } from '../shell/failure.ts';
import { createClient } from '../../client/client.ts';
import { accessByAddress, accessInstance, connectionOf, type DaemonAccess } from '../shell/daemon-access.ts';
import { noProxyVariables } from '../shell/environment.ts';
import { liveFlag } from '../shell/flags.ts';
import { assignments, SHELLS, shellOf, type Shell } from '../shell/shell-quoting.ts';

export default made(
  {
    summary: 'Print address, API keys and control token as environment variables',
    description:
      'Where KYCLONE_BASE_URL is set, they are those of the instance at that address, as inside kyclone exec, unless --instance names another. Where a proxy is set (http_proxy, HTTP_PROXY, ALL_PROXY), NO_PROXY and no_proxy follow, with the host of the instance added.',
    examples: ['eval "$(<%= config.bin %> env)"', '--shell fish | source', '--shell dotenv > .env'],
    flags: {
      shell: string({
        summary: 'syntax of the output (default: from $SHELL, else sh)',
        options: SHELLS,
        helpValue: 'SHELL',
      }),
      ...liveFlag,
    },
    beside: (_: Record<string, string>, { flags }, { environment }) =>
      Promise.resolve((flags.shell as Shell | undefined) ?? shellOf(environment.shell)),
    view: (variables, _style, _given, shell) => assignments(variables, shell),
  },
  async ({ flags }, from) => {
    if (flags.shell !== undefined && !from.isForPeople)
      throw new UsageError('--shell is the syntax of the text, and excludes --json, --output and --field');
    const { baseUrl, keys, controlToken } = await proven(from);
    const own = Object.fromEntries(
      Object.entries({
        KYCLONE_BASE_URL: baseUrl,
        KYCLONE_API_KEY: flags.live ? keys.live : keys.sandbox,
        KYCLONE_LIVE_API_KEY: keys.live,
        KYCLONE_CONTROL_TOKEN: controlToken,
      }).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    return { ...own, ...noProxyVariables(baseUrl) };
  },
);

/**
 * The credentials from the instance's locator; for an address that is none of the user's instances, those from the
 * environment.
 */
async function proven({ meant, target, environment }: From): Promise<DaemonAccess> {
  const { instance, address } = await meant();
  if (instance !== undefined || address === undefined) return await accessInstance(await target());
  const access = accessByAddress(environment, address);
  await createClient(connectionOf(access, false)).request({ method: 'GET', path: '/_kyclone/health' });
  return access;
}
