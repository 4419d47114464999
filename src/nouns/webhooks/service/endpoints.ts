/** Webhook endpoints and their secrets (contract §9.1, §11). */
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { viewAs } from '../../../contract/shapes.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import { orderedPage } from '../../cursor.ts';
import { defined } from '../../../kernel/defined.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids/ids.ts';
import { DAY_MS, SECOND_MS } from '../../../kernel/numbers/units.ts';
import { type EgressPolicy, type Outbound, OutboundFailure } from '../../../outbound/index.ts';
import { WebhookEndpoint } from '../endpoints/index.ts';
import { inSpace, spaceOf, type Space } from '../../api-keys/service/index.ts';
import { holdDeliveries, releaseDeliveries } from './due-deliveries.ts';
import { wantedKinds } from './event-kinds.ts';
import { keyOf, newSecret } from './signing.ts';
import { answer, doneWriting, type Handlers, type KeysUnder, written } from '../../handlers.ts';
import type { StepBack } from '../../clock/service/index.ts';
import type { Needs } from '../../needs.ts';
import type { LiveSettings } from '../../settings/service.ts';
import type { Database } from '../../../storage/database.ts';
import { statement } from '../../../storage/statement.ts';
import {
  assigned,
  boolean,
  bytes,
  initially,
  integer,
  optional,
  table,
  text,
  type RowOf,
} from '../../../storage/table.ts';
import { rowSeal } from '../../../vault/grants/index.ts';
import { sealedCopy } from '../../../vault/private-values.ts';

// All SQL of webhook endpoints. Times are epoch milliseconds.

const WEBHOOKS = table(
  'webhooks',
  {
    seq: assigned,
    id: text,
    /** Row id. */
    space: integer,
    url: text,
    /** JSON list: a row that another program has changed is read, too, to delete it. */
    kinds: text,
    sealed_secret: bytes,
    sealed_old_secret: initially(null, optional(bytes)),
    old_until: initially(null, optional(integer)),
    enabled: boolean,
    disabled_reason: initially(null, optional(text)),
    /** The time of the first failure after the last success. */
    failing_since: initially(null, optional(integer)),
    created_at: integer,
  },
  { key: ['id'], fixed: ['space', 'created_at'], seal: rowSeal('webhooks') },
);

export type WebhookRow = RowOf<typeof WEBHOOKS>;

export const insertWebhook = WEBHOOKS.insert;
/** Updates the row with the given changes. */
export const updateWebhook = WEBHOOKS.update;

export function updateFailingSince(database: Database, id: string, failing_since: number | null): void {
  WEBHOOKS.set(database, { id }, { failing_since });
}

/** Also deletes its deliveries. */
export const deleteWebhook = WEBHOOKS.delete<[id: string]>('id = ?');
export const deleteAllWebhooks = WEBHOOKS.delete();

/** Throws `vault_damaged` when another program has changed it. */
export const findWebhook = WEBHOOKS.first<[id: string]>('WHERE id = ?');

/** Also returns a row that another program has changed, to delete it and to end its deliveries. */
export const findAnyWebhook = WEBHOOKS.unchecked.first<[id: string]>('WHERE id = ?');

/** The endpoint. Throws `vault_damaged`, and `not_found` for one of another tenant or environment. */
export function getWebhook(database: Database, space: Pick<Space, 'space'>, id: string): WebhookRow {
  return inSpace(space, findWebhook(database, id), 'webhook endpoint');
}

export const isOwnWebhook = WEBHOOKS.isOwn;

const listOldUntilAfter = WEBHOOKS.unchecked.all<[at: number]>('WHERE old_until > ?');
const bringFailuresBack = statement<{ back: number; to: number }>(
  'UPDATE webhooks SET failing_since = failing_since - @back WHERE failing_since > @to',
).run;

/** Failures and old secrets that began after the time that the clock goes back to keep what they had of their time. */
export function bringEndpointsBack(database: Database, { from, to }: StepBack): void {
  const back = from - to;
  bringFailuresBack(database, { back, to });
  for (const row of listOldUntilAfter(database, to + OLD_SECRET_MS)) {
    if (isOwnWebhook(database, row))
      updateWebhook(database, { ...row, old_until: (row.old_until ?? 0) - back });
  }
}

/** Throws `vault_damaged`. */
export const copyWebhooks = sealedCopy(WEBHOOKS.all('ORDER BY seq'), insertWebhook);

/** In the order of registration. */
export const listEnabledWebhooks = WEBHOOKS.unchecked.all<[space: number]>(
  'WHERE space = ? AND enabled = 1 ORDER BY seq',
);

/** Newest first. */
const webhooksOf = WEBHOOKS.unchecked.page<{ space: number }, 'seq'>(
  'space = @space',
  { seq: 'number' },
  'DESC',
);

// Checks the URL of an endpoint (contract §9.1).

/** The longest time that an unresponsive name server delays a registration. */
const JUDGED_WITHIN_MS = 5 * SECOND_MS;

/** Throws `invalid_request` unless it is an http or https URL without credentials and fragment. */
function readUrl(text: string): URL {
  // The URL parser drops tabs, line ends and surrounding blanks, so they are refused to keep the URL as written.
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) throw refusal('is no URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refusal('is no http or https URL');
  if (url.username !== '' || url.password !== '') throw refusal('may hold no user name and password');
  if (text.includes('#')) throw refusal('may have no fragment');
  return url;
}

/**
 * Throws `invalid_request` when the policy refuses it. A name that doesn't resolve now is accepted, since it may do so
 * later: each delivery is checked again.
 */
async function requireAllowed(url: URL, outbound: Outbound, policy: EgressPolicy): Promise<void> {
  try {
    await outbound.admit(url, policy, AbortSignal.timeout(JUDGED_WITHIN_MS));
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    if (error.kind === 'refused') throw refusal(`is refused: ${error.message}`, error);
  }
}

function refusal(why: string, cause?: unknown): ServiceError {
  return invalid(`url ${why}`, { cause });
}

type Endpoint = AnswerOf<'POST /_kyclone/webhooks'>;
type NewEndpoint = RequestOf<'POST /_kyclone/webhooks'>['body'];

/** How long the old secrets also sign after a rotation. */
const OLD_SECRET_MS = DAY_MS;
const MOST_OLD_SECRETS = 3;

/** The secrets that sign, newest first: the endpoint's, and those that rotations replaced lately. */
export function secretsOf(
  { id, sealed_secret, sealed_old_secret, old_until }: WebhookRow,
  { now, privateValues }: Pick<Needs<'privateValues'>, 'privateValues'> & { readonly now: number },
): string[] {
  const isOldValid = sealed_old_secret !== null && old_until !== null && now < old_until;
  return (isOldValid ? [sealed_secret, sealed_old_secret] : [sealed_secret]).flatMap((sealed) =>
    privateValues.open('webhook secret', id, sealed).split(' '),
  );
}

/** `onDue` is called after the commit that releases held deliveries. */
export function createEndpoints({
  queue,
  clock,
  random,
  settings,
  outbound,
  privateValues,
  onDue,
}: Needs<'queue' | 'clock' | 'random' | 'outbound' | 'privateValues'> & {
  readonly settings: LiveSettings;
  readonly onDue: () => void;
}) {
  async function judged(url: string): Promise<string> {
    await requireAllowed(readUrl(url), outbound, settings.current.egress.policy);
    return url;
  }

  const seal = (id: string, secret: string) => privateValues.seal('webhook secret', id, secret);
  const kindsOf = (names: readonly string[]) =>
    JSON.stringify(wantedKinds(names, settings.current.vocabulary.event_prefix));

  return {
    'GET /_kyclone/webhooks': ({ query }) => {
      const space = spaceOf(queue.database, query);
      const list = webhooksOf(queue.database, { space: space.space });
      return answer(orderedPage(query, { ...list, view: (row) => endpointView(space, row) }));
    },

    'POST /_kyclone/webhooks': async ({ query, body }) => {
      spaceOf(queue.database, query);
      const secret = givenSecret(body) ?? newSecret();
      const kinds = kindsOf(body.kinds ?? ['*']);
      const url = await judged(body.url);
      return written(queue, (database) => {
        const space = spaceOf(database, query);
        const id = newId('webhook', random, (taken) => findWebhook(database, taken) !== undefined);
        const row = {
          id,
          space: space.space,
          url,
          kinds,
          sealed_secret: seal(id, secret),
          enabled: body.enabled ?? true,
          created_at: clock.now(),
        };
        insertWebhook(database, row);
        return { ...endpointView(space, { ...row, disabled_reason: null }), secret };
      });
    },

    'GET /_kyclone/webhooks/{id}': ({ params: { id }, query, revealsSecrets }) => {
      if (query.reveal && !revealsSecrets) {
        throw new ServiceError('permission_denied', 'This console session may not reveal the secret');
      }
      const space = spaceOf(queue.database, query);
      const row = getWebhook(queue.database, space, id);
      return answer({
        ...endpointView(space, row),
        ...(query.reveal && { secret: privateValues.open('webhook secret', id, row.sealed_secret) }),
      });
    },

    'PATCH /_kyclone/webhooks/{id}': async ({ params: { id }, query, body }) => {
      const before = getWebhook(queue.database, spaceOf(queue.database, query), id);
      const kinds = body.kinds && kindsOf(body.kinds);
      const url = body.url === undefined || body.url === before.url ? body.url : await judged(body.url);
      return written(queue, (database) => {
        const space = spaceOf(database, query);
        const row = {
          ...getWebhook(database, space, id),
          ...defined({ url, kinds }),
          ...(body.enabled === false && { enabled: false }),
          ...(body.enabled === true && { enabled: true, disabled_reason: null, failing_since: null }),
        };
        updateWebhook(database, row);
        if (body.enabled === false) holdDeliveries(database, id);
        if (body.enabled === true) {
          releaseDeliveries(database, id, clock.now());
          queue.afterCommit(onDue);
        }
        return endpointView(space, row);
      });
    },

    'DELETE /_kyclone/webhooks/{id}': ({ params, query }) =>
      doneWriting(queue, (database) => {
        // Also deletes a row that another program has changed, since it is unusable otherwise.
        const row = findAnyWebhook(database, params.id);
        deleteWebhook(database, inSpace(spaceOf(database, query), row, 'webhook endpoint').id);
      }),

    'POST /_kyclone/webhooks/{id}/rotate': ({ params: { id }, query }) => {
      return written(queue, (database) => {
        const space = spaceOf(database, query);
        const row = getWebhook(database, space, id);
        const secret = newSecret();
        const [newest, ...older] = secretsOf(row, { now: clock.now(), privateValues });
        updateWebhook(database, {
          ...row,
          sealed_secret: seal(id, secret),
          sealed_old_secret: seal(id, [newest, ...older.slice(0, MOST_OLD_SECRETS - 1)].join(' ')),
          old_until: clock.now() + OLD_SECRET_MS,
        });
        return { ...endpointView(space, row), secret };
      });
    },
  } satisfies Handlers<KeysUnder<'/_kyclone/webhooks'>>;
}

function givenSecret({ secret }: NewEndpoint): string | undefined {
  if (secret !== undefined && keyOf(secret) === undefined) {
    throw invalid('secret must be whsec_ followed by the base64 of 24 to 64 bytes, with its padding');
  }
  return secret;
}

function endpointView(
  { tenant, environment }: Space,
  row: Pick<WebhookRow, 'id' | 'url' | 'kinds' | 'enabled' | 'created_at' | 'disabled_reason'>,
): Endpoint {
  const kinds = JSON.parse(row.kinds) as string[];
  return viewAs(WebhookEndpoint, {
    ...row,
    kinds,
    tenant,
    environment,
    created_at: timestamp(row.created_at),
  });
}
