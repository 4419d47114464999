import { boolean, option, string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../../contract/registry.ts';
import { BaseCommand } from '../../../shell/base-command.ts';
import { UsageError } from '../../../shell/failure.ts';
import { configArg, memberFlags, membersOf, configView } from '../../../proxy/configs.ts';
import { spaceFlags, spaceQuery } from '../../../shell/flags.ts';

const EMPTY = {
  reason: { access_reason: '' },
  headers: { headers: {} },
  'secret-headers': { secret_headers: {} },
  'client-cert': { client_identity: null },
  pins: { pins: [] },
  ingress: { ingress: { rules: [] } },
} as const;
const CLEARABLE = ['reason', 'headers', 'secret-headers', 'client-cert', 'pins', 'ingress'] as const;

export default class ProxyConfigsUpdate extends BaseCommand<AnswerOf<'PATCH /_kyclone/proxies/{id}'>> {
  static override summary = 'Change, disable or enable a stored proxy configuration';
  static override description =
    'Given values replace the stored ones: --header all headers, --secret-header all secret headers, --pin-cert all ' +
    'pins, --ingress all rules. A secret header with the value *** keeps the stored value. A --target with another ' +
    'scheme, host or port removes the secret headers and the client certificate, unless they are given again.';
  static override examples = [
    '<%= config.bin %> proxy configs update proxy_id_7p793EF07xKXHqAeg5VGPj --disable',
    '<%= config.bin %> proxy configs update proxy_id_7p793EF07xKXHqAeg5VGPj --secret-header @header.txt --clear ingress',
  ];
  static override args = configArg;
  static override flags = {
    target: string({ summary: 'URL that its requests go to from now on', helpValue: 'URL' }),
    ...memberFlags,
    clear: option({
      summary: 'remove this; repeatable',
      options: CLEARABLE,
      multiple: true,
      multipleNonGreedy: true,
    })(),
    enable: boolean({ summary: 'send with it again' }),
    disable: boolean({ summary: 'send nothing with it' }),
    ...spaceFlags,
  };

  async run(): Promise<AnswerOf<'PATCH /_kyclone/proxies/{id}'>> {
    const { args, flags } = await this.parse(ProxyConfigsUpdate);
    if (flags.enable && flags.disable) throw new UsageError('--enable and --disable are opposites');
    const cleared = Object.assign({}, ...(flags.clear ?? []).map((name) => EMPTY[name])) as object;
    const given = await membersOf(flags, this.input);
    if (Object.keys(given).some((member) => member in cleared)) {
      throw new UsageError('--clear names a value that another flag sets');
    }
    const body = {
      ...(flags.target !== undefined && { url: flags.target }),
      ...cleared,
      ...given,
      ...((flags.enable || flags.disable) && { enabled: flags.enable }),
    };
    if (Object.keys(body).length === 0) {
      throw new UsageError('There is nothing to change', 'give --enable, --disable or values to store');
    }
    const options = { params: { id: args.id }, query: spaceQuery(flags), body };
    return this.present(await this.client.call('PATCH /_kyclone/proxies/{id}', options), configView);
  }
}
