/**
 * Ids for completion scripts: one per line, with a label after a tab that helps to choose; never a vault value in the
 * clear. A script passes them to a shell. So an id is printed only if it is a plain word in every shell, and a label
 * only on one line without control characters.
 */
import { string as stringArg } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { dirname } from 'node:path';
import { createClient, type Client } from '../../../client/client.ts';
import { PAGE_SIZE } from '../../../contract/facts/limits.ts';
import { parseDuration } from '../../../kernel/time/duration.ts';
import { isJsonObject, jsonOf } from '../../../kernel/text/json.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { LIVE_KINDS, type LiveKind } from '../../completion/slots.ts';
import { connectionOf, instanceNames } from '../../shell/daemon-access.ts';
import { spaceFlags } from '../../shell/flags.ts';
import { shortened } from '../../shell/layout.ts';
import { printable } from '../../shell/output.ts';

interface CompletionChoice {
  readonly id: string;
  readonly label?: string | undefined;
}

/** The client's own key decides whose ids are listed, unless a tenant is named. */
interface CompletionSearch {
  readonly client: Client;
  /** The folder that contains one folder per instance. */
  readonly stateFolder: string;
  readonly tenant?: string | undefined;
  readonly isLive: boolean;
  /** The typed part of the id. */
  readonly prefix: string;
  /** Milliseconds that one request may take. */
  readonly patienceMs: number;
  /** Whether the control plane is available, which knows more than ids. */
  readonly hasControl: boolean;
}

const PLAIN_WORD = /^[A-Za-z0-9][A-Za-z0-9._@%+-]*=?$/;
const LABEL_WIDTH = 60;
const PAGE = PAGE_SIZE.most;
/** At most this many entities and links are searched for their own lists. */
const LOOKED_INTO = 10;
/** The shell waits for this, so a daemon that is silent for longer counts as absent. */
const PATIENCE_MS = 300;

/** Milliseconds that Tab waits for the daemon; a text that is no length of time changes nothing. */
function readPatience(text: string | undefined): number {
  const ms = text === undefined ? undefined : parseDuration(text, 0);
  return ms !== undefined && ms > 0 ? ms : PATIENCE_MS;
}

type Item = Readonly<Record<string, unknown>>;

/** The lines of a list, without any that a shell could interpret. */
export function choiceLines(choices: readonly CompletionChoice[]): string {
  return choices
    .filter(({ id }) => PLAIN_WORD.test(id) && id.length <= 256)
    .map(({ id, label }) => (label === undefined ? id : `${id}\t${shortened(printable(label), LABEL_WIDTH)}`))
    .join('\n');
}

/** Throws what the client throws. */
async function findChoices(kind: LiveKind, search: CompletionSearch): Promise<readonly CompletionChoice[]> {
  switch (kind) {
    case 'instances':
      return instanceNames(search.stateFolder).map((id) => ({ id }));
    case 'users':
    case 'businesses':
    case 'entities':
      return await entities(kind, search);
    case 'stakes':
      return (await entities('users', search)).map(({ id, label }) => ({ id: `${id}=`, label }));
    case 'external-ids':
      return await externalIds(search);
    case 'onboardings':
      return await insideEntities(search, 'onboardings', ['playbook_key', 'status']);
    case 'tokens':
      return await insideEntities(search, 'tokens', ['scope', 'expires_at']);
    case 'accounts':
      return await accounts(search);
    case 'slots':
      return toChoices(await items(search, '/_kyclone/keyring', 'slots'), 'id', ['kind']);
    case 'tenants':
      return await tenants(search);
    default: {
      const [path, id, ...label] = LISTS[kind];
      const inSpace = OUTSIDE_SPACES.has(kind) ? '' : space(search);
      return toChoices(await items(search, `${path}?page_size=${PAGE}${inSpace}`), id, label);
    }
  }
}

/** Lists of the API, with the member that has the id, and those that help to choose. */
const LISTS = {
  links: ['/bank_links', 'id', 'fp_id', 'external_id'],
  webhooks: ['/_kyclone/webhooks', 'id', 'url', 'tenant', 'environment'],
  proxies: ['/_kyclone/proxies', 'id', 'name', 'tenant', 'environment'],
  events: ['/_kyclone/events', 'id', 'kind', 'at'],
  keys: ['/_kyclone/api-keys', 'id', 'name', 'tenant', 'environment'],
  playbooks: ['/_kyclone/playbooks', 'key', 'name', 'kind'],
  sessions: ['/_kyclone/sessions', 'id', 'state', 'playbook_key', 'expires_at'],
  snapshots: ['/_kyclone/snapshots', 'name', 'created_at'],
  faults: ['/_kyclone/faults', 'id', 'match', 'status'],
  requests: ['/_kyclone/requests', 'id', 'method', 'route', 'status'],
  // The matched text of a rule may be a vault value, so it is left out.
  rules: ['/_kyclone/outcomes', 'id', 'outcome', 'priority'],
} as const;

const OUTSIDE_SPACES: ReadonlySet<LiveKind> = new Set(['links', 'snapshots', 'faults', 'requests']);

function space({ tenant, isLive }: CompletionSearch): string {
  return (
    (tenant === undefined ? '' : `&tenant=${encodeURIComponent(tenant)}`) +
    (isLive ? '&environment=live' : '')
  );
}

async function entities(
  kind: 'users' | 'businesses' | 'entities',
  search: CompletionSearch,
): Promise<readonly CompletionChoice[]> {
  if (!search.hasControl) {
    const nouns = kind === 'entities' ? ['users', 'businesses'] : [kind];
    const lists = await Promise.all(
      nouns.map(async (noun) => await items(search, `/${noun}?page_size=${PAGE}`)),
    );
    return toChoices(lists.flat(), 'id', ['external_id']);
  }
  const ofKind = kind === 'entities' ? '' : `&kind=${kind === 'users' ? 'user' : 'business'}`;
  const q = search.prefix.startsWith('fp_') ? `&q=${encodeURIComponent(search.prefix)}` : '';
  const path = `/_kyclone/entities?page_size=${PAGE}${ofKind}${q}${space(search)}`;
  return toChoices(await items(search, path), 'id', ['masked_name', 'external_id', 'status']);
}

async function externalIds(search: CompletionSearch): Promise<readonly CompletionChoice[]> {
  const path = search.hasControl
    ? `/_kyclone/entities?page_size=${PAGE}${space(search)}`
    : `/users?page_size=${PAGE}`;
  return toChoices(await items(search, path), 'external_id', ['id', 'masked_name']);
}

/** The choices of a list that each of the first items has. */
async function inside(ids: readonly unknown[], read: (id: string) => Promise<CompletionChoice[]>) {
  const lists = await Promise.all(ids.slice(0, LOOKED_INTO).map((id) => read(String(id))));
  return lists.flat();
}

async function insideEntities(search: CompletionSearch, member: string, label: readonly string[]) {
  const all = await entities('entities', { ...search, prefix: '' });
  const own = space(search).replace('&', '?');
  const path = (id: string) => `/_kyclone/entities/${id}${own}`;
  return inside(
    all.map(({ id }) => id),
    async (id) => toChoices(await items(search, path(id), member), 'id', label),
  );
}

async function accounts(search: CompletionSearch): Promise<readonly CompletionChoice[]> {
  const links = await items(search, `/bank_links?page_size=${PAGE}`);
  return inside(
    links.map(({ id }) => id),
    async (id) =>
      toChoices(await items(search, `/bank_links/${id}/accounts`, 'accounts'), 'id', [
        'name',
        'account_type',
      ]),
  );
}

async function tenants(search: CompletionSearch): Promise<readonly CompletionChoice[]> {
  const keys = await items(search, `/_kyclone/api-keys?page_size=${PAGE}`);
  return [...new Set(keys.map(({ tenant }) => String(tenant)))].map((id) => ({ id }));
}

/** The objects of a list; none if the daemon refuses or returns something else. */
async function items(
  { client, patienceMs }: CompletionSearch,
  path: string,
  member = 'data',
): Promise<readonly Item[]> {
  const { status, body } = await client.request({ method: 'GET', path, timeoutMs: patienceMs });
  if (status !== 200) return [];
  const answer = jsonOf(body.toString('utf8'));
  const found = isJsonObject(answer) ? answer[member] : answer;
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
}

function toChoices(found: readonly Item[], id: string, label: readonly string[]): CompletionChoice[] {
  return found.flatMap((item) => {
    const name = item[id];
    if (typeof name !== 'string') return [];
    const known = label.map((member) => labelText(member, item[member])).filter((text) => text !== '');
    return [{ id: name, label: known.join(', ') || undefined }];
  });
}

function labelText(member: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (member !== 'url') return text;
  // The rest of a URL may contain credentials.
  return URL.canParse(text) ? new URL(text).origin : '';
}

export default class CompletionIds extends BaseCommand<readonly CompletionChoice[]> {
  static override summary = 'List ids for the completion scripts';
  static override description =
    'Prints one id per line, with a label after a tab. Without a daemon it prints nothing, with exit code 0.';
  static override hidden = true;
  static override examples = ['users', 'playbooks --prefix pb_'];
  static override args = {
    kind: stringArg({ description: 'kind of ids', required: true, options: [...LIVE_KINDS] }),
  };
  static override flags = {
    prefix: string({ summary: 'the text typed so far', helpValue: 'TEXT', default: '' }),
    ...spaceFlags,
  };

  async run(): Promise<readonly CompletionChoice[]> {
    const { args, flags } = await this.parse(CompletionIds);
    const choices = await this.#find(args.kind as LiveKind, flags).catch(() => []);
    return this.present(choices, choiceLines);
  }

  async #find(
    kind: LiveKind,
    { tenant, live, prefix }: { tenant?: string | undefined; live: boolean; prefix: string },
  ): Promise<readonly CompletionChoice[]> {
    const stateFolder = dirname((await this.named).paths.stateDirectory);
    const patienceMs = readPatience(this.environment.completionTimeout);
    const access = kind === 'instances' ? undefined : await this.find(patienceMs);
    const client = createClient(access ? connectionOf(access, live) : { baseUrl: '' });
    // A key from the environment may belong to any tenant, so its own lists are the right ones.
    const hasControl = access?.controlToken !== undefined && access.locator !== undefined;
    const search = { patienceMs, stateFolder, tenant, isLive: live, prefix, client, hasControl };
    return await findChoices(kind, search);
  }
}
