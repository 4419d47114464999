import { string } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import type { Client } from '../../client/client.ts';
import {
  forgetSetting,
  isSettingName,
  judgeSetting,
  keepSetting,
  keptMembers,
  keptSettings,
  settingName,
  type KeptSettings,
  type KeptSettingName,
} from '../config/preferences.ts';
import type { DaemonAccess } from '../shell/daemon-access.ts';
import { made, type From } from '../shell/derived.ts';
import { readLine } from '../shell/fields.ts';
import { CliError, UsageError } from '../shell/failure.ts';
import { table } from '../shell/layout.ts';
import { printable } from '../shell/output.ts';

type Where = 'applied' | 'running' | 'later';

const nameArg = { name: string({ description: 'name of the setting', required: true }) };

const where = async (_: object, { flags }: { flags: { now: boolean } }, { access }: From): Promise<Where> =>
  flags.now ? 'applied' : await whereItApplies(access);

export default {
  'config:delete': made(
    {
      summary: 'Delete a kept setting; --now also resets it to the default in the running instance',
      description: 'Without --now, a durable instance that was started with the setting may keep it.',
      examples: ['egress.policy', 'egress.policy --now --json'],
      aliases: ['config:unset'],
      args: nameArg,
      flags: { now: boolean({ summary: 'also reset the running instance to the default' }) },
      beside: where,
      view: (_, _style, { args: { name } }, place) => `${name} is forgotten${forgottenText(place, name)}`,
    },
    async ({ args, flags }, { client, environment: { bases } }): Promise<Record<string, null>> => {
      // A name that is in the file may be deleted, even if it is not a setting.
      const name = Object.hasOwn(keptMembers(bases), args.name) ? args.name : settingName(args.name);
      if (flags.now) await apply(client, settingName(name));
      await forgetSetting(bases, name);
      return { [name]: null };
    },
  ),
  'config:get': made(
    {
      summary: 'Print a setting kept for later starts; exit code 6 when it is not set',
      examples: ['egress.policy', 'egress.policy --json'],
      args: nameArg,
      view: (kept: Record<string, string>) => Object.values(kept).map(printable).join(''),
    },
    ({ args }, { environment }): Record<string, string> => {
      const name = settingName(args.name);
      const value = keptSettings(environment.bases)[name];
      if (value === undefined) throw new CliError(`${name} is not set`, { code: 'not_found' });
      return { [name]: value };
    },
  ),
  'config:list': made(
    {
      summary: 'List the settings kept for later starts',
      examples: ['', '--output yaml'],
      view: (kept: KeptSettings, style) =>
        table(
          ['SETTING', 'VALUE'],
          Object.entries(kept),
          style,
          'Nothing is kept; every setting has its default',
        ),
    },
    (_, { environment }) => keptSettings(environment.bases),
  ),
  'config:set': made(
    {
      summary: 'Keep a setting that every later start applies; --now also applies it at once',
      description:
        'Lists are comma-separated or JSON; a certificate for egress.extra_roots is given as @FILE. A value that the daemon would refuse is refused here, and not kept. Without --now, a running instance does not change.',
      examples: ['egress.policy strict', 'cors.origins https://app.example.com,http://localhost:3000 --now'],
      args: {
        ...nameArg,
        value: string({ description: 'its value: the text, @FILE or - for stdin', required: true }),
      },
      flags: { now: boolean({ summary: 'also apply it to the running instance' }) },
      beside: where,
      view: (_, _style, { args: { name } }, place) => `${name} is kept; ${keptText(place)}`,
    },
    async ({ args, flags }, { client, environment: { bases }, input }): Promise<Record<string, string>> => {
      const name = settingName(args.name);
      const value = await readLine(args.value, input, 'always');
      await judgeSetting(bases, name, value);
      if (flags.now) await apply(client, name, value);
      await keepSetting(bases, name, value);
      return { [name]: value };
    },
  ),
};

function keptText(place: Where): string {
  if (place === 'applied') return 'the running instance applies it from now on';
  const later = 'the next start applies it';
  if (place !== 'running') return later;
  return `${later}. The running instance does not change: add --now to apply it there`;
}

function forgottenText(place: Where, name: string): string {
  if (place === 'applied') return '; the running instance has its default';
  // An instance that runs can't change a name that is not a setting, or one that applies only at a start.
  if (place !== 'running' || name === 'seed' || !isSettingName(name)) return '';
  return `. An instance runs and keeps the value that it has: kyclone config delete ${name} --now gives it the default`;
}

// Settings of the running instance, as opposed to those kept for later starts.

/** The value, or the default without one. Throws UsageError for the one setting that only a start can apply. */
async function apply(client: Client, name: KeptSettingName, value?: string): Promise<void> {
  if (name === 'seed')
    throw new UsageError('--now cannot apply a seed: only a start can', 'kyclone restart --seed TEXT');
  const { defaultOf, settingFromText } = await import('../../nouns/settings/endpoints/values.ts');
  const body = value === undefined ? defaultOf(name) : settingFromText(name, value);
  await client.call('PATCH /_kyclone/settings', { body });
}

/** Whether an instance runs and keeps its present settings. Errors there don't matter here. */
async function whereItApplies(access: () => Promise<DaemonAccess>): Promise<'running' | 'later'> {
  return await access().then(
    () => 'running',
    () => 'later',
  );
}
