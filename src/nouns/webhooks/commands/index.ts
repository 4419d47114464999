import { string as stringArg } from '@oclif/core/args';
import { boolean, option, string } from '@oclif/core/flags';
import { DELIVERY_FILTERS, TOLERANCE_MS } from '../facts.ts';
import { systemClock } from '../../../kernel/time/clock.ts';
import { derived, made } from '../../../cli/shell/derived.ts';
import { HEADER_SOURCES } from '../../../cli/shell/fields.ts';
import { someChange } from '../../../cli/shell/failure.ts';
import {
  eitherOf,
  opposite,
  entityFlag,
  pageFlags,
  spaceFlags,
  spaceQuery,
  yesFlag,
  whyFlag,
  repeatable,
} from '../../../cli/shell/flags.ts';
import { printable } from '../../../cli/shell/output.ts';
import { byDefault, durationFlag, momentFlag, resolveMoment, timeFlag } from '../../../cli/shell/times.ts';
import { unknownFilters } from '../../../cli/shell/unknown-filters.ts';
import { EVENTS_SUMMARY, kindsFlag, secretFlag, webhookArg } from './flags.ts';
import { urlOf } from './targets.ts';
import { readSigned, verifyWebhook, type SignatureVerdict } from './verify.ts';
import {
  attemptsView,
  deliveryListView,
  endpointListView,
  endpointView,
  eventKindView,
  eventListView,
  resentView,
  verdictView,
} from './view.ts';

export default {
  'webhooks:create': derived('POST /_kyclone/webhooks', {
    summary: 'Create a webhook endpoint for a URL, and print the secret that its events are signed with',
    aliases: ['webhooks:add'],
    examples: [
      'http://localhost:3000/hooks',
      'http://localhost:3000/hooks --events onboarding.completed --secret @secret.txt',
    ],
    args: {
      url: stringArg({ description: 'an http or https URL; 3000 is http://localhost:3000', required: true }),
    },
    flags: {
      events: kindsFlag({ summary: EVENTS_SUMMARY }),
      secret: secretFlag,
      disabled: boolean({ summary: 'send nothing to it until it is enabled' }),
      ...spaceFlags,
    },
    send: async ({ args, flags: { secret, events, disabled } }, { input }) => ({
      url: urlOf(args.url),
      kinds: events,
      secret: secret === undefined ? undefined : await input.secret(secret, 'Secret'),
      enabled: disabled ? false : undefined,
    }),
    view: endpointView,
  }),
  'webhooks:delete': derived('DELETE /_kyclone/webhooks/{id}', {
    summary: 'Delete a webhook endpoint; pending deliveries to it are given up',
    aliases: ['webhooks:remove'],
    examples: ['whk_… --yes', 'whk_… --dry-run'],
    args: webhookArg,
    flags: { ...yesFlag, ...spaceFlags },
    confirm: 'Delete this webhook endpoint with its deliveries',
  }),
  'webhooks:deliveries': derived('GET /_kyclone/deliveries', {
    summary: 'List deliveries with their receivers and results, newest first',
    description:
      'The deliveries of one event are shown with all their attempts, and with the signed headers that each attempt sent.',
    examples: [
      '--status failed',
      '--event evt_…',
      '--fp-id fp_id_… --status failing',
      '--error "connection refused"',
    ],
    flags: {
      status: option({
        summary: 'only with this status; failing: has failed and is tried again',
        options: DELIVERY_FILTERS,
      })(),
      'fp-id': entityFlag('only about this user or business'),
      error: string({
        summary: 'only with these words in the error, hint or response status of the last attempt',
        helpValue: 'WORDS',
      }),
      search: string({
        summary: 'only with these words in any id, external id, kind, status, URL, error or hint',
        helpValue: 'WORDS',
      }),
      event: string({ summary: 'only of this event, with all attempts', helpValue: 'ID' }),
      webhook: string({ summary: 'only to this endpoint', helpValue: 'ID' }),
      kind: string({ summary: 'only of events of this kind', helpValue: 'KIND' }),
      ...spaceFlags,
      ...pageFlags,
    },
    send: ({ flags: { status, event, webhook, kind, error, search, 'fp-id': fp_id } }) => ({
      status,
      event_id: event,
      webhook_id: webhook,
      kind,
      fp_id,
      error,
      q: search,
    }),
    note: (page, { flags }, _, { client }) => unknownFilters(page.data, flags, client),
    view: (page, style, { flags }) =>
      flags.event === undefined ? deliveryListView(page, style) : attemptsView(page.data, style),
  }),
  'webhooks:events': derived('GET /_kyclone/events', {
    summary: 'List events, newest first, sent or not',
    examples: ['--since 10m', '--fp-id fp_id_… --json'],
    flags: {
      kind: string({ summary: 'only of this kind', helpValue: 'KIND' }),
      'fp-id': entityFlag('only of this user or business'),
      since: momentFlag({ summary: 'only from this time on: a time, or how long ago (10m)' }),
      ...spaceFlags,
      ...pageFlags,
    },
    send: async ({ flags: { kind, 'fp-id': fp_id, since } }, { client }) => ({
      kind,
      fp_id,
      since: since && (await resolveMoment(since, client)),
    }),
    note: (page, { flags }, _, { client }) => unknownFilters(page.data, flags, client),
    view: eventListView,
  }),
  'webhooks:list': derived('GET /_kyclone/webhooks', {
    summary: 'List webhook endpoints, the URLs that events are sent to, newest first',
    aliases: ['webhooks:endpoints'],
    examples: ['', '--output id'],
    flags: { ...spaceFlags, ...pageFlags },
    view: endpointListView,
  }),
  'webhooks:resend': derived('POST /_kyclone/events/{id}/resend', {
    summary: 'Deliver an event again: under the same id, with a fresh signature',
    examples: ['evt_…', 'evt_… --to whk_…'],
    args: { id: stringArg({ description: 'id of an event (evt_...)', required: true }) },
    flags: { to: string({ summary: 'to this endpoint only', helpValue: 'ID' }), ...whyFlag, ...spaceFlags },
    send: ({ flags }) => ({ webhook_id: flags.to, reason: flags.reason }),
    view: resentView,
  }),
  'webhooks:update': derived('PATCH /_kyclone/webhooks/{id}', {
    summary: 'Change, disable or enable a webhook endpoint',
    examples: ['whk_… --enable', "whk_… --events '*'"],
    args: webhookArg,
    flags: {
      url: string({ summary: 'the new URL', helpValue: 'URL' }),
      events: kindsFlag({ summary: EVENTS_SUMMARY }),
      enable: boolean({ summary: 'send to it again' }),
      disable: opposite('enable', 'send nothing to it'),
      ...spaceFlags,
    },
    send: ({ flags: { url, events, enable, disable } }) => {
      const enabled = eitherOf(enable, disable);
      const change = { url: url === undefined ? undefined : urlOf(url), kinds: events, enabled };
      return someChange(change, 'give --url, --events, --enable or --disable');
    },
    view: endpointView,
  }),
  'webhooks:secret': made(
    {
      summary: 'Print the secret of a webhook endpoint, and nothing else',
      examples: [
        'export KYCLONE_WEBHOOK_SECRET=$(<%= config.bin %> webhooks secret whk_…)',
        'whk_… --rotate',
      ],
      args: webhookArg,
      flags: {
        rotate: boolean({ summary: 'create a new one; for 24 hours deliveries are signed with both' }),
        ...spaceFlags,
      },
      view: ({ secret }: { readonly secret?: string }) => printable(secret),
    },
    async ({ args: { id }, flags }, { client }) => {
      const query = spaceQuery(flags);
      return flags.rotate
        ? await client.call('POST /_kyclone/webhooks/{id}/rotate', { params: { id }, query })
        : await client.call('GET /_kyclone/webhooks/{id}', {
            params: { id },
            query: { ...query, reveal: true },
          });
    },
  ),
  'webhooks:kinds': made(
    {
      summary: 'List the kinds of events, with sample bodies under --json; needs no daemon',
      description:
        'Kinds that are not sent by default are sent with the setting events.extended. In a body a kind has a prefix, the ' +
        'setting vocabulary.event_prefix; the samples have its default.',
      examples: ['', '--json | jq ".[0].body"'],
      view: eventKindView,
    },
    async () => {
      const { eventCatalogue } = await import('../../../fixtures/event-catalogue.ts');
      const { DEFAULT_SETTINGS } = await import('../../settings/endpoints/index.ts');
      return eventCatalogue(DEFAULT_SETTINGS.vocabulary.event_prefix);
    },
  ),
  'webhooks:verify': made(
    {
      summary: 'Check the signature of a delivery; exit code 1 when it is not valid',
      description:
        'No daemon is needed. Headers may begin with webhook- or svix-. The secret may also come from ' +
        'KYCLONE_WEBHOOK_SECRET.',
      examples: [
        '--secret @secret.txt --headers @headers.txt --body @body.json',
        "--header 'webhook-id: ...' --header 'webhook-timestamp: ...' --header 'webhook-signature: ...' " +
          '< body.json',
      ],
      flags: {
        secret: string({
          summary: 'whsec_...: the text itself, @FILE, - for stdin or ? to be asked; repeatable',
          helpValue: 'SECRET',
          ...repeatable,
        }),
        header: string({
          char: 'H',
          summary: `a header; ${HEADER_SOURCES}`,
          helpValue: 'NAME: VALUE',
          ...repeatable,
        }),
        headers: string({
          summary: 'headers, one per line or a JSON object: the text, @FILE or - for stdin',
          helpValue: 'TEXT',
        }),
        body: string({
          summary: 'the exact body: @FILE, - for stdin or the text itself',
          default: '-',
          helpValue: 'BODY',
        }),
        tolerance: durationFlag({
          summary: 'how far the time of the signature may differ',
          ...byDefault(TOLERANCE_MS),
        }),
        at: timeFlag({ summary: 'the time to compare with (default: now, by the clock of this machine)' }),
      },
      fails: ({ valid }: SignatureVerdict) => !valid,
      view: verdictView,
    },
    async ({ flags }, { environment, input }) => {
      const given = { ...flags, secrets: flags.secret, environmentSecret: environment.webhookSecret };
      return verifyWebhook({
        ...(await readSigned(given, input)),
        now: flags.at ?? systemClock.now(),
        toleranceMs: flags.tolerance,
      });
    },
  ),
};
