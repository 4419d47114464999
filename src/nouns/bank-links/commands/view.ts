/**
 * Bank links, their accounts and personas as text.
 *
 * The daemon lists the personas; their data files describe the links they make.
 */
import { counted } from '../../../kernel/text/count-text.ts';
import type { BankAccount, BankLink } from '../endpoints/records.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { money } from '../../../kernel/text/money-text.ts';
import type { Tick } from './refreshing.ts';
import { isBusinessId } from '../../../kernel/ids/ids.ts';
import { facts, fitted, type ListColumn, listView, shortTime, table } from '../../../cli/shell/layout.ts';
import { printable, type Style } from '../../../cli/shell/output.ts';
import type { Client } from '../../../client/client.ts';
import { BANK_PERSONAS } from '../../../fixtures/bank-personas/index.ts';
import { CliError } from '../../../cli/shell/failure.ts';
import { nearest } from '../../../kernel/text/nearest.ts';

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

export function newLinkView(link: BankLink, accounts: readonly BankAccount[], style: Style): string {
  return [linkView(link, style), '', accountsInShort(accounts, style)].join('\n');
}

/** On a terminal, two lines for each link: two ids and the rest don't fit on one. */
export const linkListView = listView<AnswerOf<'GET /_kyclone/bank_links'>>('No bank links', [
  ['LINK', 'id'],
  ['STATE', ({ error_code, state }) => error_code ?? state],
  ['CREATED (UTC)', ({ created_at }) => shortTime(created_at), 1],
  [
    'USER OR BUSINESS',
    ({ fp_id, institution_name, persona, external_id }) =>
      [fp_id, institution_name, `persona ${persona}`, external_id].filter((part) => part !== null).join(', '),
    'below',
  ],
]);

export function intentNote({ fp_id, link_id, persona, expires_at }: Intent): string {
  const what = link_id === null ? `a bank of ${fp_id}, persona ${persona}` : `${link_id} again`;
  return `Links ${what}; one use, until ${expires_at}: POST /bank_links takes it as intent_token`;
}

const NAME_WIDTH = 26;

const ACCOUNT_COLUMNS: readonly ListColumn<BankAccount>[] = [
  ['MASK', 'mask'],
  ['TYPE', 'account_type'],
  [{ number: 'BALANCE' }, ({ balances }) => money(balances?.current ?? null, balances?.currency)],
  ['NAME', ({ nickname, name }, style) => fitted(printable(nickname ?? name), NAME_WIDTH, style)],
];

const accountsInShort = listView<readonly BankAccount[]>('No accounts', ACCOUNT_COLUMNS);

/** On a terminal, two lines for each account: its id doesn't fit beside the rest. */
export const accountList = listView<readonly BankAccount[]>('No accounts', [
  ...ACCOUNT_COLUMNS,
  ['ACCOUNT', accountDetails, 'below'],
]);

function accountDetails({ id, closed, balances }: BankAccount): string {
  const { available = null, limit = null, currency } = balances ?? {};
  return [
    id,
    ...(available === null ? [] : [`available ${money(available, currency)}`]),
    ...(limit === null ? [] : [`limit ${money(limit, currency)}`]),
    ...(closed === true ? ['closed'] : []),
  ].join(', ');
}

export const personaListView = listView<AnswerOf<'GET /_kyclone/personas'>>('No personas', [
  ['PERSONA', 'name'],
  ['WHAT ITS LINKS BRING', 'description'],
]);

export function personaView(
  { name, description, history_days: days, accounts }: Awaited<ReturnType<typeof findPersona>>,
  style: Style,
): string {
  const head = facts({ persona: name, description, history: `${days} days` }, style);
  const rows = accounts.map(({ account_type: type, currency, name: account }) => [type, currency, account]);
  return [head, '', table(['TYPE', 'CURRENCY', 'ACCOUNT'], rows, style, 'No accounts')].join('\n');
}

export const tickList = listView<Tick['links']>('No bank links', [
  ['LINK', 'id'],
  [{ number: 'NEW' }, 'came'],
  [{ number: 'POSTED' }, 'posted'],
  [{ number: 'INVESTMENTS' }, 'investments_came'],
  ['STATE', 'state'],
]);

/** A note beside the result, because the rest of the instance moved too. */
export function tickNote({ days, now, drained }: Tick): string {
  const moved = `The clock of the whole instance moved on ${counted(days, 'day')}, to ${now}`;
  return `${moved}; ${counted(drained, 'piece')} of due work ran, of banks and of the rest`;
}

/** Throws CliError when there is no such persona. */
export async function findPersona(client: Client, name: string) {
  const known = await client.call('GET /_kyclone/personas');
  const names = known.map((persona) => persona.name);
  const found = known[names.indexOf(name)];
  const data = BANK_PERSONAS.find((persona) => persona.name === name);
  if (found && data) {
    const accounts = data.accounts.map(({ account_type, name: account, currency }) => ({
      account_type,
      name: account,
      currency,
    }));
    /** The length of the transaction history, in days. */
    const { history_days } = data;
    return { ...found, history_days, accounts };
  }
  const meant = nearest(name, names);
  throw new CliError(`There is no such persona${meant === undefined ? '' : `; did you mean "${meant}"?`}`, {
    code: 'not_found',
    hint: 'kyclone bank personas list names them',
  });
}
