/**
 * Bank links, their accounts and personas as text.
 *
 * The daemon lists the personas; their data files describe the links they make.
 */
import { counted } from '../../../kernel/count-text.ts';
import type { BankAccount, BankLink } from '../endpoints/records.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { money } from '../../../kernel/money-text.ts';
import type { Tick } from './refreshing.ts';
import { isBusinessId } from '../../../kernel/ids.ts';
import { facts, fitted, rightAligned, shortTime, table, moreView } from '../../../cli/shell/layout.ts';
import { printable, type Style } from '../../../cli/shell/output.ts';
import type { AccountType } from '../facts.ts';
import type { Client } from '../../../client/client.ts';
import { BANK_PERSONAS } from '../../../fixtures/bank-personas/index.ts';
import { EXIT } from '../../../cli/shell/exit-codes.ts';
import { CliError } from '../../../cli/shell/failure.ts';
import { nearest } from '../../../kernel/nearest.ts';

type Intent = AnswerOf<'POST /_kyclone/bank_link_intents'>;

export function linkView(link: BankLink, style: Style): string {
  const { state, error_code: error } = link;
  return facts(
    {
      link: link.id,
      [isBusinessId(link.fp_id) ? 'business' : 'user']: link.fp_id,
      state: {
        text: error === null ? state : `${state}, ${error}`,
        paint: state === 'connected' ? style.good : style.bad,
      },
      institution: `${link.institution_name} (${link.institution_id})`,
      'external id': link.external_id,
      created: link.created_at,
      synced: link.last_synced_at,
      refreshed: Object.entries(link.products).map(
        ([product, { refreshed_at: at }]) => `${product} ${at ?? 'never'}`,
      ),
    },
    style,
  );
}

/** The new link, and its accounts. */
export function newLinkView(link: BankLink, accounts: readonly BankAccount[], style: Style): string {
  return [linkView(link, style), '', accountsInShort(accounts, style)].join('\n');
}

/** On a terminal, two lines for each link: two ids and the rest don't fit on one. */
export function linkListView({ data, meta }: AnswerOf<'GET /_kyclone/bank_links'>, style: Style): string {
  const rows = data.map(({ id, fp_id, state, error_code, institution_name, persona, ...link }) => [
    id,
    error_code ?? state,
    shortTime(link.created_at),
    [fp_id, institution_name, `persona ${persona}`, link.external_id]
      .filter((part) => part !== null)
      .join(', '),
  ]);
  const headings = ['LINK', 'STATE', { text: 'CREATED (UTC)', drop: 1 }, 'USER OR BUSINESS'];
  return [table(headings, rows, style, 'No bank links', true), ...moreView(meta, data.length, style)].join(
    '\n',
  );
}

/** The token alone, for `TOKEN=$(…)`. */
export function intentTokenView({ intent_token }: Intent): string {
  return printable(intent_token);
}

/** The address of the intent's page, alone. */
export function intentLinkView({ link }: Intent): string {
  return printable(link);
}

export function intentNote({ fp_id, link_id, persona, expires_at }: Intent): string {
  const what = link_id === null ? `a bank of ${fp_id}, persona ${persona}` : `${link_id} again`;
  return `Links ${what}; one use, until ${expires_at}: POST /bank_links takes it as intent_token`;
}

export function refreshingView(products: readonly string[]): string {
  return `Asked for ${products.join(', ')}`;
}

export function resetView(): string {
  return 'Disconnected; what it brought stays readable';
}

/** The note with the command that reconnects the link. */
export function reconnectNote(link: string, isLive: boolean): string {
  return `To connect it again: kyclone bank link --link ${link}${isLive ? ' --live' : ''}`;
}

const NAME_WIDTH = 26;

function accountCells(accounts: readonly BankAccount[], style: Style) {
  const [heading = '', ...balances] = rightAligned(
    'BALANCE',
    accounts.map(({ balances: held }) => money(held?.current ?? null, held?.currency)),
  );
  const rows = accounts.map(({ name, nickname, mask, account_type }, index) => [
    mask,
    account_type,
    balances[index],
    fitted(printable(nickname ?? name), NAME_WIDTH, style),
  ]);
  return { headings: ['MASK', 'TYPE', heading, 'NAME'], rows };
}

function accountsInShort(accounts: readonly BankAccount[], style: Style): string {
  const { headings, rows } = accountCells(accounts, style);
  return table(headings, rows, style, 'No accounts');
}

/** On a terminal, two lines for each account: its id doesn't fit beside the rest. */
export function accountListView(
  { accounts }: { readonly accounts: readonly BankAccount[] },
  style: Style,
): string {
  const { headings, rows } = accountCells(accounts, style);
  const under = accounts.map(({ id, closed, balances }) => {
    const { available = null, limit = null, currency } = balances ?? {};
    return [
      id,
      ...(available === null ? [] : [`available ${money(available, currency)}`]),
      ...(limit === null ? [] : [`limit ${money(limit, currency)}`]),
      ...(closed === true ? ['closed'] : []),
    ].join(', ');
  });
  const all = rows.map((row, index) => [...row, under[index]]);
  return table([...headings, 'ACCOUNT'], all, style, 'No accounts', true);
}

export function personaListView(personas: AnswerOf<'GET /_kyclone/personas'>, style: Style): string {
  const rows = personas.map(({ name, description }) => [name, description]);
  return table(['PERSONA', 'WHAT ITS LINKS BRING'], rows, style, 'No personas');
}

export function personaView(
  { name, description, history_days: days, accounts }: Persona,
  style: Style,
): string {
  const head = facts({ persona: name, description, history: `${days} days` }, style);
  const rows = accounts.map(({ account_type: type, currency, name: account }) => [type, currency, account]);
  return [head, '', table(['TYPE', 'CURRENCY', 'ACCOUNT'], rows, style, 'No accounts')].join('\n');
}

/** The new data of each link. */
export function tickView({ links }: Tick, style: Style): string {
  const [cameHeading = '', ...came] = rightAligned(
    'NEW',
    links.map(({ came }) => String(came)),
  );
  const [postedHeading = '', ...posted] = rightAligned(
    'POSTED',
    links.map(({ posted }) => String(posted)),
  );
  const [investHeading = '', ...invested] = rightAligned(
    'INVESTMENTS',
    links.map(({ investments_came: count }) => String(count)),
  );
  const rows = links.map(({ id, state }, index) => [id, came[index], posted[index], invested[index], state]);
  return table(['LINK', cameHeading, postedHeading, investHeading, 'STATE'], rows, style, 'No bank links');
}

/** A note beside the result, because the rest of the instance moved too. */
export function tickNote({ days, now, drained }: Tick): string {
  const moved = `The clock of the whole instance moved on ${counted(days, 'day')}, to ${now}`;
  return `${moved}; ${counted(drained, 'piece')} of due work ran, of banks and of the rest`;
}

export interface Persona {
  readonly name: string;
  readonly description: string;
  readonly kind: 'bank';
  /** The length of the transaction history, in days. */
  readonly history_days: number;
  readonly accounts: readonly {
    readonly account_type: AccountType;
    readonly name: string;
    readonly currency: string;
  }[];
}

/** Throws CliError when there is no such persona. */
export async function findPersona(client: Client, name: string): Promise<Persona> {
  const known = await client.call('GET /_kyclone/personas');
  const found = known.find((persona) => persona.name === name);
  const data = BANK_PERSONAS.find((persona) => persona.name === name);
  if (found && data) {
    const accounts = data.accounts.map(({ account_type, name: account, currency }) => ({
      account_type,
      name: account,
      currency,
    }));
    return { ...found, history_days: data.history_days, accounts };
  }
  const meant = nearest(
    name,
    known.map((persona) => persona.name),
  );
  throw new CliError(`There is no such persona${meant === undefined ? '' : `; did you mean "${meant}"?`}`, {
    code: 'not_found',
    exitCode: EXIT.notFound,
    hint: 'kyclone bank personas list names them',
  });
}
