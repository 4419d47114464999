import { string as stringArg } from '@oclif/core/args';
import { boolean, option, string } from '@oclif/core/flags';
import { ENVIRONMENTS } from '../entities/facts.ts';
import { PERMISSIONS } from '../../contract/facts/permissions.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { derived } from '../../cli/shell/derived.ts';
import { someChange } from '../../cli/shell/failure.ts';
import { eitherOf, nonEmpty, opposite, pageFlags, yesFlag, repeatable } from '../../cli/shell/flags.ts';
import { listView, pairs, shortTime, yesNo } from '../../cli/shell/layout.ts';
import type { Style } from '../../cli/shell/output.ts';

type ChangedKey = NonNullable<RequestOf<'PATCH /_kyclone/api-keys/{id}'>['body']>;
type NewKey = NonNullable<RequestOf<'POST /_kyclone/api-keys'>['body']>;

const named = { name: string({ summary: 'name of the key', helpValue: 'TEXT' }) };
const rights = (unset: string) => ({
  scope: string({ summary: `a scope; repeatable (default: ${unset})`, ...repeatable }),
  permission: string({
    summary: `a permission; repeatable (default: ${unset}): ${PERMISSIONS.join(', ')}, or decrypt: and an identifier or pattern`,
    ...repeatable,
  }),
});
const idArg = { id: stringArg({ description: 'id of the key (key_…), not the key', required: true }) };

export const keyListView = listView<AnswerOf<'GET /_kyclone/api-keys'>>('No keys', [
  ['ID', 'id'],
  ['NAME', 'name'],
  ['TENANT', 'tenant', 2],
  ['ENVIRONMENT', 'environment'],
  ['PREFIX', 'prefix', 3],
  ['ENABLED', 'enabled'],
  ['LAST USED (UTC)', ({ last_used_at }) => shortTime(last_used_at), 1],
]);

export function newKeyView(key: AnswerOf<'POST /_kyclone/api-keys'>, style: Style): string {
  const { id, name, tenant, environment } = key;
  return `${pairs({ id, name, tenant, environment, key: key.key }, style)}\n${style.warn('The key is shown only once')}`;
}

export default {
  'keys:create': derived('POST /_kyclone/api-keys', {
    summary: 'Create an API key; it is shown only once',
    examples: [
      '--name "test run"',
      '--environment live --permission vault.write --permission decrypt:id.email',
    ],
    flags: {
      ...named,
      tenant: nonEmpty({
        summary: 'the tenant it belongs to; a new name creates a tenant',
        helpValue: 'NAME',
      }),
      environment: option({ summary: 'the environment it works in', options: ENVIRONMENTS })(),
      ...rights('all'),
    },
    send: ({ flags: { name, tenant, environment, scope, permission } }) =>
      ({ name, tenant, environment, scopes: scope, permissions: permission }) as NewKey,
    view: newKeyView,
  }),
  'keys:delete': derived('DELETE /_kyclone/api-keys/{id}', {
    summary: 'Delete an API key; requests that use it are refused from then on',
    aliases: ['keys:revoke'],
    examples: ['key_… --yes', 'key_… --yes --json'],
    args: idArg,
    flags: yesFlag,
    confirm: 'Delete this API key',
  }),
  'keys:list': derived('GET /_kyclone/api-keys', {
    summary: 'List API keys, without the keys themselves',
    examples: ['', '--environment live'],
    flags: {
      tenant: nonEmpty({ summary: 'only those of this tenant', helpValue: 'NAME' }),
      environment: option({ summary: 'only those of this environment', options: ENVIRONMENTS })(),
      ...pageFlags,
    },
    view: keyListView,
  }),
  'keys:update': derived('PATCH /_kyclone/api-keys/{id}', {
    summary: 'Change, disable or enable an API key',
    description: 'Scopes and permissions that are given take the place of all earlier ones.',
    examples: ['key_… --disable', 'key_… --name "test run" --permission vault.write'],
    args: idArg,
    flags: {
      ...named,
      ...rights('unchanged'),
      enable: boolean({ summary: 'accept it from now on' }),
      disable: opposite('enable', 'refuse requests that use it until it is enabled'),
    },
    send: ({ flags: { name, scope, permission, enable, disable } }) => {
      const enabled = eitherOf(enable, disable);
      const change = { name, scopes: scope, permissions: permission, enabled };
      return someChange(change, 'give --name, --scope, --permission, --enable or --disable') as ChangedKey;
    },
    view: ({ id, name, tenant, environment, scopes, permissions, enabled }, style) => {
      const [may, reaches] = [permissions, scopes].map((all) => all.join(', ') || 'none');
      const rights = { scopes: reaches, permissions: may, enabled: yesNo(enabled) };
      return pairs({ id, name, tenant, environment, ...rights }, style);
    },
  }),
};
