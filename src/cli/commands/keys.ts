import { string as stringArg } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import { ENVIRONMENTS } from '../../contract/facts/entities.ts';
import { PERMISSIONS } from '../../contract/facts/permissions.ts';
import type { RequestOf } from '../../contract/registry.ts';
import { keyListView, newKeyView } from '../instance/control-view.ts';
import { derived } from '../shell/derived.ts';
import { pageFlags, yesFlag } from '../shell/flags.ts';

type NewKey = NonNullable<RequestOf<'POST /_kyclone/api-keys'>['body']>;

export default {
  'keys:create': derived('POST /_kyclone/api-keys', {
    summary: 'Create an API key; it is shown only once',
    examples: [
      'keys create --name "test run"',
      'keys create --environment live --permission vault.write --permission decrypt:id.email',
    ],
    flags: {
      name: string({ summary: 'name of the key', helpValue: 'TEXT' }),
      tenant: string({ summary: 'the tenant it belongs to; a new name creates a tenant', helpValue: 'NAME' }),
      environment: option({ summary: 'the environment it works in', options: ENVIRONMENTS })(),
      scope: string({
        summary: 'a scope; repeatable (default: all)',
        multiple: true,
        multipleNonGreedy: true,
      }),
      permission: string({
        summary: `a permission; repeatable (default: all): ${PERMISSIONS.join(', ')}, or decrypt: and an identifier or pattern`,
        multiple: true,
        multipleNonGreedy: true,
      }),
    },
    send: ({ flags: { name, tenant, environment, scope, permission } }) =>
      ({ name, tenant, environment, scopes: scope, permissions: permission }) as NewKey,
    view: newKeyView,
  }),
  'keys:delete': derived('DELETE /_kyclone/api-keys/{id}', {
    summary: 'Delete an API key; requests that use it are refused from then on',
    aliases: ['keys:revoke'],
    examples: [
      'keys delete key_7p793EF07xKXHqAeg5VGPj --yes',
      'keys delete key_7p793EF07xKXHqAeg5VGPj --yes --json',
    ],
    args: {
      id: stringArg({ description: 'id of the key (key_…), not the key', required: true }),
    },
    flags: yesFlag,
    confirm: 'Delete this API key',
    view: () => 'Deleted',
  }),
  'keys:list': derived('GET /_kyclone/api-keys', {
    summary: 'List API keys, without the keys themselves',
    examples: ['keys list', 'keys list --environment live'],
    flags: {
      tenant: string({ summary: 'only those of this tenant', helpValue: 'NAME' }),
      environment: option({
        summary: 'only those of this environment',
        options: ENVIRONMENTS,
      })(),
      ...pageFlags,
    },
    view: keyListView,
  }),
};
