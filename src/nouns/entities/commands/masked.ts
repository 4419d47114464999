/** Masked names and states of the entities on a page, because the API's own list has only ids. */
import type { EntityKind } from '../facts.ts';
import { PAGE_SIZE } from '../../../contract/facts/limits.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import type { Client } from '../../../client/client.ts';
import { ApiError } from '../../../client/errors.ts';
import type { DaemonAccess } from '../../../cli/shell/daemon-access.ts';
import { spaceQuery } from '../../../cli/shell/flags.ts';
import { spaceOfKey } from '../../../cli/shell/entity-search.ts';
import { defined } from '../../../kernel/defined.ts';

export type MaskedItem = AnswerOf<'GET /_kyclone/entities'>['data'][number];
export type MaskedItems = ReadonlyMap<string, MaskedItem>;

interface Listed {
  readonly kind: EntityKind;
  readonly flags: {
    readonly live: boolean;
    readonly 'external-id'?: string | undefined;
    readonly cursor?: string | undefined;
  };
  readonly access: DaemonAccess;
}

/** By id, for the tenant of the key; undefined if the control token is unknown or refused. */
export async function maskedOf(
  client: Client,
  { data }: AnswerOf<'GET /users'>,
  { kind, flags, access }: Listed,
): Promise<MaskedItems | undefined> {
  if (access.controlToken === undefined) return undefined;
  const { 'external-id': q, cursor } = flags;
  try {
    const own = await spaceOfKey(client, access, flags.live);
    const page = await client.call('GET /_kyclone/entities', {
      query: {
        ...(own ?? spaceQuery({ live: flags.live })),
        kind,
        page_size: q === undefined ? Math.max(1, data.length) : PAGE_SIZE.most,
        ...defined({ q, cursor }),
      },
    });
    return new Map(page.data.map((item) => [item.id, item]));
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return undefined;
    throw error;
  }
}
