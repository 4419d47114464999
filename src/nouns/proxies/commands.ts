/**
 * Stored proxy configurations: the flags of `proxy configs create` and `update` with their members (contract §3.4),
 * and the views of configurations.
 */
import { string as stringArg } from '@oclif/core/args';
import { boolean, option, string } from '@oclif/core/flags';
import type { RequestOf, AnswerOf } from '../../contract/registry.ts';
import { readPem, targetFlags } from '../vault-proxy/commands/flags.ts';
import { derived } from '../../cli/shell/derived.ts';
import { someChange, UsageError } from '../../cli/shell/failure.ts';
import { HEADER_SOURCES, headerTexts, parseHeader, readsStdin } from '../../cli/shell/fields.ts';
import {
  eitherOf,
  type FlagValues,
  opposite,
  pageFlags,
  spaceFlags,
  yesFlag,
  reasonFlag,
  repeatable,
} from '../../cli/shell/flags.ts';
import { defined } from '../../kernel/defined.ts';
import type { InputSource } from '../../cli/shell/input.ts';
import { facts, listView } from '../../cli/shell/layout.ts';
import type { Style } from '../../cli/shell/output.ts';

type Members = Omit<RequestOf<'POST /_kyclone/proxies'>['body'], 'url' | 'enabled'>;

const configArg = {
  id: stringArg({ description: 'id of a proxy configuration (proxy_id_...)', required: true }),
};

const memberFlags = {
  name: string({ summary: 'name for people (default: the host of the target)', helpValue: 'NAME' }),
  reason: reasonFlag({ summary: 'why; recorded in the access log for every value that its calls read' }),
  header: string({
    char: 'H',
    summary: `a header for the target, visible to everyone who reads the configuration; ${HEADER_SOURCES}`,
    helpValue: 'NAME: VALUE',
    ...repeatable,
  }),
  'secret-header': string({
    summary: `a header for the target, such as its API key; its value is never shown again; ${HEADER_SOURCES}`,
    helpValue: 'NAME: VALUE',
    ...repeatable,
  }),
  ...targetFlags,
};

type MemberFlags = Partial<FlagValues<typeof memberFlags>>;

/** The members given by flags. Throws UsageError, which contains nothing that was typed or read. */
async function membersOf(flags: MemberFlags, input: InputSource): Promise<Members> {
  const { name, method, reason, header, 'secret-header': secret, 'pin-cert': pins, ingress } = flags;
  if (readsStdin(header) && readsStdin(secret)) throw new UsageError('Only one value can come from stdin');
  return {
    ...defined({ name, method, access_reason: reason }),
    ...(header && { headers: headerMap(await headerTexts(header, input)) }),
    ...(secret && { secret_headers: headerMap(await headerTexts(secret, input)) }),
    ...(pins && { pins: pins.map((path) => readPem('--pin-cert', path).toString('utf8')) }),
    ...defined({ client_identity: identityOf(flags) }),
    ...(ingress && { ingress: { rules: ingress.map(ruleOf) } }),
  };
}

function identityOf({ 'client-cert': certificate, 'client-key': key }: MemberFlags) {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined) {
    throw new UsageError('--client-cert and --client-key must be given together');
  }
  return {
    certificate: readPem('--client-cert', certificate).toString('utf8'),
    key: readPem('--client-key', key).toString('utf8'),
  };
}

function headerMap(texts: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of texts.map(parseHeader)) {
    if (headers.has(name.toLowerCase())) throw new UsageError('One header is given twice');
    headers.set(name.toLowerCase(), value);
  }
  return Object.fromEntries(headers);
}

function ruleOf(text: string): { token: string; target: string } {
  const equals = text.indexOf('=');
  if (equals === -1) throw new UsageError('--ingress takes IDENTIFIER=PATH, such as custom.score=$.score');
  return { token: text.slice(0, equals).trim(), target: text.slice(equals + 1).trim() };
}

type Configuration = AnswerOf<'GET /_kyclone/proxies/{id}'>;

function configView(configuration: Configuration, style: Style): string {
  const { headers, secret_headers: secrets, client_identity: identity, pins, ingress } = configuration;
  return facts(
    {
      configuration: configuration.id,
      name: configuration.name,
      target: `${configuration.method} ${configuration.url}`,
      reason: configuration.access_reason === '' ? null : configuration.access_reason,
      headers: lines(headers),
      'secret headers': lines(secrets),
      'client certificate': identity ? `${identity.subject}, until ${identity.expires_at}` : null,
      'pinned certificates': pins.length === 0 ? null : String(pins.length),
      ingress: ingress.rules.map(({ token, target }) => `${token} = ${target}`),
      tenant: configuration.tenant,
      environment: configuration.environment,
      enabled: configuration.enabled ? 'yes' : 'no',
      created: configuration.created_at,
    },
    style,
  );
}

function lines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

const EMPTY = {
  reason: { access_reason: '' },
  headers: { headers: {} },
  'secret-headers': { secret_headers: {} },
  'client-cert': { client_identity: null },
  pins: { pins: [] },
  ingress: { ingress: { rules: [] } },
} as const;

export default {
  'proxy:configs:create': derived('POST /_kyclone/proxies', {
    summary: 'Store a proxy configuration: a target with its headers, certificates and rules',
    description:
      'POST /vault_proxy/<id> and proxy send --config then send to it; an application needs only its id. ' +
      'Values of secret headers and the client key are stored sealed, and are never shown again.',
    examples: [
      '--target https://api.example.com/checks --reason "credit check" --secret-header @header.txt',
      "--target http://127.0.0.1:4640/json --name Scores --ingress 'custom.score=$.score'",
    ],
    flags: {
      target: string({ summary: 'URL that its requests go to', helpValue: 'URL', required: true }),
      ...memberFlags,
      disabled: boolean({ summary: 'send nothing with it until it is enabled' }),
      ...spaceFlags,
    },
    send: async ({ flags }, { input }) => ({
      url: flags.target,
      ...(await membersOf(flags, input)),
      enabled: flags.disabled ? false : undefined,
    }),
    view: configView,
  }),
  'proxy:configs:delete': derived('DELETE /_kyclone/proxies/{id}', {
    summary: 'Delete a stored proxy configuration with its secrets',
    examples: ['proxy_id_… --yes', 'proxy_id_… --dry-run'],
    args: configArg,
    flags: { ...yesFlag, ...spaceFlags },
    confirm: 'Delete this proxy configuration with its secrets',
  }),
  'proxy:configs:get': derived('GET /_kyclone/proxies/{id}', {
    summary: 'Show a stored proxy configuration, without its secrets',
    examples: ['proxy_id_…', 'proxy_id_… --json'],
    args: configArg,
    flags: spaceFlags,
    view: configView,
  }),
  'proxy:configs:list': derived('GET /_kyclone/proxies', {
    summary: 'List stored proxy configurations, newest first',
    examples: ['', '--live --output id'],
    flags: { ...spaceFlags, ...pageFlags },
    view: listView('No proxy configurations', [
      ['ID', 'id'],
      ['ENABLED', 'enabled'],
      ['NAME AND TARGET', ({ name, method, url }) => `${name}, ${method} ${url}`, 'below'],
    ]),
  }),
  'proxy:configs:update': derived('PATCH /_kyclone/proxies/{id}', {
    summary: 'Change, disable or enable a stored proxy configuration',
    description:
      'Given values replace the stored ones: --header all headers, --secret-header all secret headers, --pin-cert all ' +
      'pins, --ingress all rules. A secret header with the value *** keeps the stored value. A --target with another ' +
      'scheme, host or port removes the secret headers and the client certificate, unless they are given again.',
    examples: ['proxy_id_… --disable', 'proxy_id_… --secret-header @header.txt --clear ingress'],
    args: configArg,
    flags: {
      target: string({ summary: 'URL that its requests go to from now on', helpValue: 'URL' }),
      ...memberFlags,
      clear: option({
        summary: 'remove this; repeatable',
        options: Object.keys(EMPTY) as (keyof typeof EMPTY)[],
        ...repeatable,
      })(),
      enable: boolean({ summary: 'send with it again' }),
      disable: opposite('enable', 'send nothing with it'),
      ...spaceFlags,
    },
    send: async ({ flags }, { input }) => {
      const cleared = Object.assign({}, ...(flags.clear ?? []).map((name) => EMPTY[name])) as object;
      const given = await membersOf(flags, input);
      const both = flags.clear?.find((name) => Object.keys(EMPTY[name]).some((member) => member in given));
      if (both !== undefined) throw new UsageError(`--clear ${both} removes what another flag sets`);
      const body = {
        ...defined({ url: flags.target }),
        ...cleared,
        ...given,
        ...defined({ enabled: eitherOf(flags.enable, flags.disable) }),
      };
      return someChange(body, 'give --enable, --disable or values to store');
    },
    view: configView,
  }),
};
