/**
 * Resolves users and businesses named on the command line: by kyclone's id, by the external id, or by any search that
 * finds exactly one. Messages never contain the typed text, which may be a value.
 */
import { isBusinessId } from '../../kernel/ids/ids.ts';
import { ENVIRONMENTS, type Environment } from '../../nouns/entities/facts.ts';
import type { Client } from '../../client/client.ts';
import { ifFound } from '../../client/errors.ts';
import { allPages } from '../../client/pages.ts';
import type { DaemonAccess } from './daemon-access.ts';
import { CliError, UsageError } from './failure.ts';
import type { InputSource } from './input.ts';

/** A character that comes with a pasted id and is no part of it. */
const AROUND = /^[\s"'`“”„‘’‚«»,;()[\]{}<>\u200b\ufeff]$/u;

/** The text without quotes, commas, brackets and blanks around it. */
export function unwrapped(text: string): string {
  const isAround = (at: number) => AROUND.test(text.charAt(at));
  let [start, end] = [0, text.length];
  while (start < end && isAround(start)) start += 1;
  while (start < end && isAround(end - 1)) end -= 1;
  return text.slice(start, end);
}

export type NamedKind = 'user' | 'business' | 'entity';

/** Marks an argument or flag that names users or businesses. */
export interface NamesEntity {
  readonly names: NamedKind;
  /** A text with `*` is a pattern and is not looked up. */
  readonly takesPatterns?: boolean;
  /** Also accepts a part, such as the beginning of a name, because the command only reads. */
  readonly takesParts?: boolean;
}

const ID = /^fp_(?:bid|id)_/;
/** The contract's rule (§2.1). */
const EXTERNAL_ID = /^[A-Za-z0-9_.-]{5,256}$/;

const WANTED: Readonly<Record<NamedKind, string>> = {
  user: 'the id of a user (fp_id_…) or an external id of one',
  business: 'the id of a business (fp_bid_…) or an external id of one',
  entity: 'the id of a user (fp_id_…) or business (fp_bid_…), or an external id of one',
};

/** What a command looks an entity up with. */
export interface LookUp {
  readonly input: InputSource;
  /** One client for each environment of the command, the key's own first. */
  readonly clients: readonly [Client, ...Client[]];
  readonly access: () => Promise<DaemonAccess>;
  /** The tenant that the command names; by default the tenant of the key. */
  readonly tenant: string | undefined;
  readonly isLive: boolean;
  /** No lookup is allowed. */
  readonly isDryRun: boolean;
  readonly showsProgress: boolean;
}

/** `where`: the argument as the user sees it: `--user`, `FP_ID`. */
export type Naming = NamesEntity & { readonly where: string };

/**
 * The id of the entity that a text names. `?`, `-` and `@FILE` keep the name off the command line. Throws UsageError if
 * several match, or if the text can't name an entity; CliError 6 if nothing matches.
 */
export async function idNamedBy(typed: string, naming: Naming, lookUp: LookUp): Promise<string> {
  const { where, names: kind, takesPatterns = false } = naming;
  const { input, clients, access, tenant, isLive, isDryRun } = lookUp;
  const given = await input.secret(typed, `User or business (${where})`);
  // The search needs the control token.
  const canSearch = !isDryRun && (await access()).controlToken !== undefined;
  const name = unwrapped(given);
  const text = EXTERNAL_ID.test(name) ? name : given;
  if (takesPatterns && text.includes('*')) return text;
  if (ID.test(text)) {
    const isWrong = kind !== 'entity' && isBusinessId(text) !== (kind === 'business');
    if (!isWrong) return text;
    throw new UsageError(`${where} takes ${WANTED[kind]}; this is the id of a ${otherThan(kind)}`);
  }
  const mayBeExternal = EXTERNAL_ID.test(text);
  if (!mayBeExternal && !canSearch) {
    throw new UsageError(
      `${where} is neither an id nor an external id: it takes ${WANTED[kind]}`,
      'an external id has 5 to 256 letters, digits, dots, underscores and hyphens; anything else is ' +
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
      tenant === undefined
        ? withKey(client, text)
        : ofTenant(client, text, { tenant, environment: isLive ? 'live' : 'sandbox' }),
    ),
  );
  const ids = [...new Set(named.flat())];
  const found = ids.filter((id) => kind === 'entity' || isBusinessId(id) === (kind === 'business'));
  if (found.length > 1) {
    throw new UsageError(
      `${where} is the external id of more than one: ${found.join(', ')}`,
      'choose one by its id',
    );
  }
  if (found[0] !== undefined) return found[0];
  const [another] = ids;
  if (another === undefined && canSearch) {
    const { searchedId } = await import('./entity-search.ts');
    return await searchedId(text, naming, lookUp);
  }
  throw new CliError(
    another === undefined
      ? `${where} is not an id, and no ${nounOf(kind)} here has it as an external id`
      : `${where} is the external id of a ${otherThan(kind)}: ${another}`,
    {
      code: 'not_found',
      hint:
        clients.length > 1 || isLive
          ? `it takes ${WANTED[kind]}`
          : `it takes ${WANTED[kind]}; --live looks in the live environment`,
    },
  );
}

export function nounOf(kind: NamedKind): string {
  return kind === 'entity' ? 'user or business' : kind;
}

function otherThan(kind: NamedKind): string {
  return kind === 'user' ? 'business' : 'user';
}

/** Entities of the tenant and environment of the key of `client`. */
async function withKey(client: Client, external_id: string): Promise<string[]> {
  const query = { external_id };
  const pages = await Promise.all([
    client.call('GET /users', { query }),
    client.call('GET /businesses', { query }),
  ]);
  return pages.flatMap(({ data }) => data.map(({ id }) => id));
}

/** None of the keys may belong to that tenant, so this uses the control token. It finds by prefix. */
async function ofTenant(
  client: Client,
  external_id: string,
  space: { readonly tenant: string; readonly environment: Environment },
): Promise<string[]> {
  const query = { ...space, q: external_id };
  const found = await allPages((page) =>
    client.call('GET /_kyclone/entities', { query: { ...query, ...page } }),
  );
  return found.filter((entity) => entity.external_id === external_id).map(({ id }) => id);
}

/**
 * Throws CliError 6 if an id is completely unknown: there is no such user or business in either environment, and the
 * access log, which outlives them, has no entry about one.
 */
export async function requireKnown(id: string, client: Client): Promise<void> {
  const query = { fp_id: id, page_size: 1 };
  const { data } = await client.call('GET /_kyclone/access-log', { query });
  if (data.length > 0) return;
  for (const environment of ENVIRONMENTS) {
    const options = { params: { fp_id: id }, query: { environment } };
    if (await ifFound(client.call('GET /_kyclone/entities/{fp_id}', options))) return;
  }
  throw new CliError('There is no user or business with this id, and nothing about one in the access log', {
    code: 'not_found',
    hint: 'kyclone users list shows who there is',
  });
}
