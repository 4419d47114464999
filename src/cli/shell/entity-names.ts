/**
 * Users and businesses as a command line names them: by the id that kyclone gave, by the external id that their owner
 * did, or by whatever else the search finds exactly one by. What is typed is never repeated: it may be a value.
 */
import { isBusinessId } from '../../kernel/ids.ts';
import { PAGE_SIZE } from '../../contract/facts/limits.ts';
import { ENVIRONMENTS, type Environment } from '../../contract/facts/entities.ts';
import type { Client } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import { EXIT } from './exit-codes.ts';
import { CliError, UsageError } from './failure.ts';

export type NamedKind = 'user' | 'business' | 'entity';

/** An argument or a flag that names users or businesses says so by this member. */
export interface NamesEntity {
  readonly names: NamedKind;
  /** A text with `*` is a pattern and is not looked up. */
  readonly takesPatterns?: boolean;
  /** A part is enough, such as the beginning of a name: nothing is done to whom it finds but looking. */
  readonly takesParts?: boolean;
}

/** The id of whom the search finds. Throws UsageError and CliError 6, as `entityIdOf`. */
export type FoundBySearch = (
  text: string,
  naming: { readonly where: string; readonly kind: NamedKind },
) => Promise<string>;

const ID = /^fp_(?:bid|id)_/;
/** As the contract has it (§2.1). */
const EXTERNAL_ID = /^[A-Za-z0-9_.-]{5,256}$/;

const WANTED: Readonly<Record<NamedKind, string>> = {
  user: 'the id of a user (fp_id_…) or an external id of one',
  business: 'the id of a business (fp_bid_…) or an external id of one',
  entity: 'the id of a user (fp_id_…) or business (fp_bid_…), or an external id of one',
};

export interface Naming {
  /** As the person typed it: `--user`, `FP_ID`. */
  readonly where: string;
  readonly kind: NamedKind;
  readonly takesPatterns?: boolean;
  /** The tenant that the command names; else the tenant of the key. */
  readonly tenant?: string | undefined;
  readonly isLive: boolean;
  /** Nothing may be looked up. */
  readonly isDryRun: boolean;
  /** The search; undefined where there is no control token for it. */
  readonly search: FoundBySearch | undefined;
}

/**
 * The id that is meant. `clients` has one for each environment that is looked into. Throws UsageError for what is one of
 * several, or can't be anybody's; CliError 6 for what nobody has.
 */
export async function entityIdOf(
  text: string,
  clients: readonly Client[],
  { where, kind, takesPatterns = false, tenant, isLive, isDryRun, search }: Naming,
): Promise<string> {
  if (takesPatterns && text.includes('*')) return text;
  if (ID.test(text)) {
    const isWrong = kind !== 'entity' && isBusinessId(text) !== (kind === 'business');
    if (!isWrong) return text;
    throw new UsageError(`${where} takes ${WANTED[kind]}; this is the id of a ${otherThan(kind)}`);
  }
  const mayBeExternal = EXTERNAL_ID.test(text);
  if (!mayBeExternal && search === undefined) {
    throw new UsageError(
      `${where} is neither an id nor an external id: it takes ${WANTED[kind]}`,
      'an external id has 5 to 256 letters, digits, dots, underscores and hyphens; what else is known of them is ' +
        'searched with the control token',
    );
  }
  if (isDryRun) {
    throw new UsageError(
      `--dry-run sends nothing, so ${where} takes the id itself: anything else is looked up`,
    );
  }
  const named = await Promise.all(
    (mayBeExternal ? clients : []).map((client) =>
      tenant === undefined ? withKey(client, text) : ofTenant(client, { external_id: text, tenant, isLive }),
    ),
  );
  const ids = [...new Set(named.flat())];
  const found = ids.filter((id) => kind === 'entity' || isBusinessId(id) === (kind === 'business'));
  if (found.length > 1) {
    throw new UsageError(
      `${where} is the external id of more than one: ${found.join(', ')}`,
      'name the one that is meant by its id',
    );
  }
  if (found[0] !== undefined) return found[0];
  const [another] = ids;
  if (another === undefined && search !== undefined) return await search(text, { where, kind });
  throw new CliError(
    another === undefined
      ? `${where} is no id, and no ${kind === 'entity' ? 'user or business' : kind} here has it as an external id`
      : `${where} is the external id of a ${otherThan(kind)}: ${another}`,
    {
      code: 'not_found',
      exitCode: EXIT.notFound,
      hint:
        clients.length > 1 || isLive
          ? `it takes ${WANTED[kind]}`
          : `it takes ${WANTED[kind]}; --live looks in the live environment`,
    },
  );
}

function otherThan(kind: NamedKind): string {
  return kind === 'user' ? 'business' : 'user';
}

/** Those of the tenant and environment that the key of `client` is for. */
async function withKey(client: Client, external_id: string): Promise<string[]> {
  const query = { external_id };
  const pages = await Promise.all([
    client.call('GET /users', { query }),
    client.call('GET /businesses', { query }),
  ]);
  return pages.flatMap(({ data }) => data.map(({ id }) => id));
}

interface Elsewhere {
  readonly external_id: string;
  readonly tenant: string;
  readonly isLive: boolean;
}

/** No key at hand may be of that tenant, so the control token looks; it finds by beginnings. */
async function ofTenant(client: Client, { external_id, tenant, isLive }: Elsewhere): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const { data, meta } = await client.call('GET /_kyclone/entities', {
      query: {
        tenant,
        environment: isLive ? 'live' : 'sandbox',
        q: external_id,
        page_size: PAGE_SIZE.most,
        ...(cursor !== undefined && { cursor }),
      },
    });
    ids.push(...data.filter((entity) => entity.external_id === external_id).map(({ id }) => id));
    cursor = meta.next ?? undefined;
  } while (cursor !== undefined);
  return ids;
}

/**
 * Throws CliError 6 where nothing at all is known of an id: there is no such user or business in either environment, and
 * the access log, which outlives them, has nothing about one.
 */
export async function requireKnown(id: string, client: Client): Promise<void> {
  const query = { fp_id: id, page_size: 1 };
  const { data } = await client.call('GET /_kyclone/access-log', { query });
  if (data.length > 0) return;
  for (const environment of ENVIRONMENTS) {
    if (await isThere(id, client, environment)) return;
  }
  throw new CliError('There is no user or business with this id, and nothing about one in the access log', {
    code: 'not_found',
    exitCode: EXIT.notFound,
    hint: 'kyclone users list shows who there is',
  });
}

async function isThere(id: string, client: Client, environment: Environment): Promise<boolean> {
  try {
    await client.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id: id }, query: { environment } });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}
