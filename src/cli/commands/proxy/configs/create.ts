import { boolean, string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../../contract/registry.ts';
import { BaseCommand } from '../../../shell/base-command.ts';
import { memberFlags, membersOf, configView } from '../../../proxy/configs.ts';
import { spaceFlags, spaceQuery } from '../../../shell/flags.ts';

export default class ProxyConfigsCreate extends BaseCommand<AnswerOf<'POST /_kyclone/proxies'>> {
  static override summary = 'Store a proxy configuration: a target with its headers, certificates and rules';
  static override description =
    'POST /vault_proxy/<id> and proxy send --config then send to it; an application needs only its id. ' +
    'Values of secret headers and the client key are stored sealed, and are never shown again.';
  static override examples = [
    '<%= config.bin %> proxy configs create --target https://api.example.com/checks --reason "credit check" ' +
      '--secret-header @header.txt',
    `<%= config.bin %> proxy configs create --target http://127.0.0.1:4640/json --name Scores --ingress 'custom.score=$.score'`,
  ];
  static override flags = {
    target: string({ summary: 'URL that its requests go to', helpValue: 'URL', required: true }),
    ...memberFlags,
    disabled: boolean({ summary: 'send nothing with it until it is enabled' }),
    ...spaceFlags,
  };

  async run(): Promise<AnswerOf<'POST /_kyclone/proxies'>> {
    const { flags } = await this.parse(ProxyConfigsCreate);
    const { client_identity: identity, ...members } = await membersOf(flags, this.input);
    const body = {
      url: flags.target,
      ...members,
      ...(identity && { client_identity: identity }),
      ...(flags.disabled && { enabled: false }),
    };
    const query = spaceQuery(flags);
    return this.present(await this.client.call('POST /_kyclone/proxies', { query, body }), configView);
  }
}
