import { option, string } from '@oclif/core/flags';
import { ENVIRONMENTS } from '../../../contract/facts/entities.ts';
import { PERMISSIONS } from '../../../contract/facts/permissions.ts';
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { newKeyView } from '../../instance/control-view.ts';

type NewKey = NonNullable<RequestOf<'POST /_kyclone/api-keys'>['body']>;

export default class KeysCreate extends BaseCommand<AnswerOf<'POST /_kyclone/api-keys'>> {
  static override summary = 'Create an API key; it is shown only once';
  static override examples = [
    '<%= config.bin %> keys create --name "test run"',
    '<%= config.bin %> keys create --environment live --permission vault.write --permission decrypt:id.email',
  ];
  static override flags = {
    name: string({ summary: 'name of the key', helpValue: 'TEXT' }),
    tenant: string({ summary: 'the tenant it belongs to; a new name creates a tenant', helpValue: 'NAME' }),
    environment: option({ summary: 'the environment it works in', options: ENVIRONMENTS })(),
    scope: string({ summary: 'a scope; repeatable (default: all)', multiple: true, multipleNonGreedy: true }),
    permission: string({
      summary: `a permission; repeatable (default: all): ${PERMISSIONS.join(', ')}, or decrypt: and an identifier or pattern`,
      multiple: true,
      multipleNonGreedy: true,
    }),
  };

  async run(): Promise<AnswerOf<'POST /_kyclone/api-keys'>> {
    const { flags } = await this.parse(KeysCreate);
    const { name, tenant, environment, scope, permission } = flags;
    const body = {
      ...(name !== undefined && { name }),
      ...(tenant !== undefined && { tenant }),
      ...(environment !== undefined && { environment }),
      ...(scope && { scopes: scope }),
      ...(permission && { permissions: permission }),
    } as NewKey;
    return this.present(await this.client.call('POST /_kyclone/api-keys', { body }), newKeyView);
  }
}
