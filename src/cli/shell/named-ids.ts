/** Replaces names of users and businesses on a command line by ids, so that commands only handle ids. */
import type { Client } from '../../client/client.ts';
import type { DaemonAccess } from './daemon-access.ts';
import type { FoundBySearch, NamesEntity } from './entity-names.ts';
import type { InputSource } from './input.ts';
import { defined } from '../../kernel/defined.ts';

export interface LookUp {
  readonly input: InputSource;
  /** One client for each environment of the command, the key's own first. */
  readonly clients: readonly Client[];
  readonly access: () => Promise<DaemonAccess>;
  /** The tenant that the command names. */
  readonly tenant: string | undefined;
  readonly isLive: boolean;
  readonly isDryRun: boolean;
  readonly showsProgress: boolean;
}

/**
 * The id of the entity that a text names; see entity-names.ts. `?`, `-` and `@FILE` keep the name off the command
 * line. Throws UsageError and CliError 6.
 */
export async function idNamedBy(
  given: string,
  naming: { readonly where: string } & NamesEntity,
  lookUp: LookUp,
): Promise<string> {
  const { input, clients, tenant, isLive, isDryRun } = lookUp;
  const text = await input.secret(given, `User or business (${naming.where})`);
  const { entityIdOf } = await import('./entity-names.ts');
  return await entityIdOf(text, clients, {
    where: naming.where,
    kind: naming.names,
    takesPatterns: naming.takesPatterns ?? false,
    tenant,
    isLive,
    isDryRun,
    search: await searching(naming, lookUp),
  });
}

async function searching(
  { takesParts = false }: NamesEntity,
  { clients, access, tenant, isLive, isDryRun, showsProgress }: LookUp,
): Promise<FoundBySearch | undefined> {
  const [client] = clients;
  if (client === undefined || isDryRun || (await access()).controlToken === undefined) return undefined;
  const { searchedId } = await import('./entity-search.ts');
  // A command for both environments searches both.
  const space = { tenant, isLive: clients.length > 1 ? undefined : isLive };
  const options = { ...space, takesParts, showsProgress };
  return async (text, naming) =>
    await searchedId(client, text, { ...naming, ...options, ...(await ownSpace(client, access, space)) });
}

/** The tenant and environment of the key from the environment, unless the command names a tenant. */
async function ownSpace(
  client: Client,
  access: LookUp['access'],
  { tenant, isLive }: { readonly tenant: string | undefined; readonly isLive: boolean | undefined },
): Promise<{ tenant?: string; isLive?: boolean }> {
  if (tenant !== undefined) return {};
  const { spaceOfKey } = await import('./key-space.ts');
  const own = await spaceOfKey(client, await access(), isLive === true);
  if (own === undefined) return {};
  return {
    tenant: own.tenant,
    ...defined({ isLive: isLive === undefined ? isLive : own.environment === 'live' }),
  };
}
