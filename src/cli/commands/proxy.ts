import { boolean, option, string } from '@oclif/core/flags';
import { configArg, configListView, configView, memberFlags, membersOf } from '../proxy/configs.ts';
import { derived } from '../shell/derived.ts';
import { UsageError } from '../shell/failure.ts';
import { pageFlags, spaceFlags, yesFlag } from '../shell/flags.ts';
import { defined } from '../../kernel/defined.ts';

const EMPTY = {
  reason: { access_reason: '' },
  headers: { headers: {} },
  'secret-headers': { secret_headers: {} },
  'client-cert': { client_identity: null },
  pins: { pins: [] },
  ingress: { ingress: { rules: [] } },
} as const;
const CLEARABLE = ['reason', 'headers', 'secret-headers', 'client-cert', 'pins', 'ingress'] as const;

export default {
  'proxy:configs:create': derived('POST /_kyclone/proxies', {
    summary: 'Store a proxy configuration: a target with its headers, certificates and rules',
    description:
      'POST /vault_proxy/<id> and proxy send --config then send to it; an application needs only its id. ' +
      'Values of secret headers and the client key are stored sealed, and are never shown again.',
    examples: [
      'proxy configs create --target https://api.example.com/checks --reason "credit check" ' +
        '--secret-header @header.txt',
      `proxy configs create --target http://127.0.0.1:4640/json --name Scores --ingress 'custom.score=$.score'`,
    ],
    flags: {
      target: string({ summary: 'URL that its requests go to', helpValue: 'URL', required: true }),
      ...memberFlags,
      disabled: boolean({ summary: 'send nothing with it until it is enabled' }),
      ...spaceFlags,
    },
    send: async ({ flags }, { input }) => {
      const { client_identity: identity, ...members } = await membersOf(flags, input);
      return {
        url: flags.target,
        ...members,
        ...(identity && { client_identity: identity }),
        enabled: flags.disabled ? false : undefined,
      };
    },
    view: configView,
  }),
  'proxy:configs:delete': derived('DELETE /_kyclone/proxies/{id}', {
    summary: 'Delete a stored proxy configuration with its secrets',
    examples: [
      'proxy configs delete proxy_id_7p793EF07xKXHqAeg5VGPj --yes',
      'proxy configs delete proxy_id_7p793EF07xKXHqAeg5VGPj --dry-run',
    ],
    args: configArg,
    flags: { ...yesFlag, ...spaceFlags },
    confirm: 'Delete this proxy configuration with its secrets',
    view: () => 'Deleted',
  }),
  'proxy:configs:get': derived('GET /_kyclone/proxies/{id}', {
    summary: 'Show a stored proxy configuration, without its secrets',
    examples: [
      'proxy configs get proxy_id_7p793EF07xKXHqAeg5VGPj',
      'proxy configs get proxy_id_7p793EF07xKXHqAeg5VGPj --json',
    ],
    args: configArg,
    flags: spaceFlags,
    view: configView,
  }),
  'proxy:configs:list': derived('GET /_kyclone/proxies', {
    summary: 'List stored proxy configurations, newest first',
    examples: ['proxy configs list', 'proxy configs list --live --output id'],
    flags: { ...spaceFlags, ...pageFlags },
    view: configListView,
  }),
  'proxy:configs:update': derived('PATCH /_kyclone/proxies/{id}', {
    summary: 'Change, disable or enable a stored proxy configuration',
    description:
      'Given values replace the stored ones: --header all headers, --secret-header all secret headers, --pin-cert all ' +
      'pins, --ingress all rules. A secret header with the value *** keeps the stored value. A --target with another ' +
      'scheme, host or port removes the secret headers and the client certificate, unless they are given again.',
    examples: [
      'proxy configs update proxy_id_7p793EF07xKXHqAeg5VGPj --disable',
      'proxy configs update proxy_id_7p793EF07xKXHqAeg5VGPj --secret-header @header.txt --clear ingress',
    ],
    args: configArg,
    flags: {
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
    },
    send: async ({ flags }, { input }) => {
      if (flags.enable && flags.disable) throw new UsageError('--enable and --disable are opposites');
      const cleared = Object.assign({}, ...(flags.clear ?? []).map((name) => EMPTY[name])) as object;
      const given = await membersOf(flags, input);
      if (Object.keys(given).some((member) => member in cleared)) {
        throw new UsageError('--clear names a value that another flag sets');
      }
      const body = {
        ...defined({ url: flags.target }),
        ...cleared,
        ...given,
        ...((flags.enable || flags.disable) && { enabled: flags.enable }),
      };
      if (Object.keys(body).length === 0) {
        throw new UsageError('There is nothing to change', 'give --enable, --disable or values to store');
      }
      return body;
    },
    view: configView,
  }),
};
