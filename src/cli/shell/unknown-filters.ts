/**
 * Filters of lists that name an id. The API returns an empty list for an id that nothing has, as for one without
 * entries; people get a note that distinguishes the two.
 */
import type { Client } from '../../client/client.ts';
import { ifFound } from '../../client/errors.ts';
import { spaceQuery, type SpaceQuery } from './flags.ts';

interface Named {
  readonly noun: string;
  /** The command that lists what has such ids. */
  readonly lister: string;
  readonly isThere: (client: Client, id: string, query: SpaceQuery) => Promise<boolean>;
}

const entity: Named = {
  noun: 'user or business',
  lister: 'users list and kyclone businesses list show them',
  isThere: (client, fp_id, query) =>
    isFound(client.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id }, query })),
};

const FILTERS = {
  event: {
    noun: 'event',
    lister: 'webhooks events shows them',
    isThere: async (client, event_id, query) =>
      (await client.call('GET /_kyclone/events', { query: { ...query, event_id } })).data.length > 0,
  },
  webhook: {
    noun: 'webhook endpoint',
    lister: 'webhooks list shows them',
    isThere: (client, id, query) =>
      isFound(client.call('GET /_kyclone/webhooks/{id}', { params: { id }, query })),
  },
  onboarding: {
    noun: 'onboarding',
    lister: 'onboardings list shows them',
    isThere: (client, id) => isFound(client.call('GET /onboardings/{id}', { params: { id } })),
  },
  'fp-id': entity,
  entity,
  id: entity,
} satisfies Readonly<Record<string, Named>>;

type FilterFlags = { readonly [Name in keyof typeof FILTERS]?: string | undefined } & {
  readonly tenant?: string | undefined;
  readonly live: boolean;
};

/** Notes about the filters of an empty list; none if it has entries. Throws what the client throws. */
export async function unknownFilters(
  { length }: readonly unknown[],
  flags: FilterFlags,
  client: Client,
): Promise<string[]> {
  const notes: string[] = [];
  if (length > 0) return notes;
  for (const [flag, { noun, lister, isThere }] of Object.entries(FILTERS)) {
    const id = flags[flag as keyof typeof FILTERS];
    if (id === undefined || (await isThere(client, id, spaceQuery(flags)))) continue;
    notes.push(`--${flag} names no ${noun} of this tenant and environment: kyclone ${lister}`);
  }
  return notes;
}

async function isFound(answer: Promise<object>): Promise<boolean> {
  return (await ifFound(answer)) !== undefined;
}
