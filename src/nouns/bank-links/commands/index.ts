import { string as stringArg } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import type { BankTransaction, InvestmentTransaction } from '../endpoints/records.ts';
import { accountLabels, LINK_STATES } from '../facts.ts';
import { accountFlag, accountIds, linkArg } from './flags.ts';
import { holdingsView, unknownAccountsNote } from './ledger-view.ts';
import {
  investmentsOf,
  LedgerCommand,
  transactionsOf,
  type InvestmentTransactions,
  type Transactions,
} from './ledgers.ts';
import { tick } from './refreshing.ts';
import {
  accountListView,
  findPersona,
  linkListView,
  linkView,
  personaListView,
  personaView,
  tickNote,
  tickView,
} from './view.ts';
import { unknownFilters } from '../../../cli/shell/unknown-filters.ts';
import { derived, made } from '../../../cli/shell/derived.ts';
import {
  entityFlag,
  integerFlag,
  liveFlag,
  pageFlags,
  spaceFlags,
  yesFlag,
} from '../../../cli/shell/flags.ts';

class BankTransactions extends LedgerCommand<Transactions, BankTransaction> {
  static override summary = 'List the transactions of a bank link, newest first';
  static override description =
    'A plus is money that came into the account or paid off what is owed, a minus is the opposite. With --all and ' +
    '--json each line is a transaction (NDJSON), printed as soon as its page is read; else --json prints the page.';
  static override examples = [
    'link_…',
    'For a month:\nlink_… --from 2026-01-01 --to 2026-01-31 --size 100',
    'All of one account, as NDJSON:\nlink_… --account acct_… --all --json',
  ];
  protected override readonly ledgerOf = transactionsOf;
}

class BankInvestments extends LedgerCommand<InvestmentTransactions, InvestmentTransaction> {
  static override summary = 'List the investment transactions of a bank link, newest first';
  static override description =
    'A plus brings cash, a minus takes it; fees come on top. With --all and --json each line is an investment ' +
    'transaction (NDJSON), printed as soon as its page is read; else --json prints the page, with its securities.';
  static override examples = [
    'link_…',
    'From a day on:\nlink_… --from 2026-01-01 --page 2 --json',
    'All, as NDJSON:\nlink_… --all --json',
  ];
  protected override readonly ledgerOf = investmentsOf;
}

export default {
  'bank:transactions': BankTransactions,
  'bank:investments': BankInvestments,
  'bank:holdings': derived('GET /bank_links/{link_id}/investments/holdings', {
    summary: 'List what is held in the investment accounts of a bank link',
    examples: ['link_…', 'For one account:\nlink_… --account acct_… --json'],
    args: linkArg,
    flags: { ...accountFlag, ...liveFlag },
    send: ({ flags }) => ({ account_ids: accountIds(flags.account) }),
    beside: async (_, { args }, { client }) =>
      accountLabels(
        (await client.call('GET /bank_links/{link_id}/accounts', { params: { link_id: args.link } }))
          .accounts,
      ),
    note: (_, { flags }, labels) => unknownAccountsNote(flags.account, labels),
    view: (held, style, _, labels) => holdingsView(held, labels, style),
  }),
  'bank:accounts': derived('GET /bank_links/{link_id}/accounts', {
    summary: 'List the accounts of a bank link with their balances',
    description: 'The balance of a liability is what is owed.',
    examples: ['link_…', 'link_… --json'],
    args: linkArg,
    flags: liveFlag,
    view: accountListView,
  }),
  'bank:links:delete': derived('DELETE /bank_links/{link_id}', {
    summary: 'Delete a bank link with its accounts and transactions; this cannot be undone',
    description: 'Account numbers that it brought into the vault stay there.',
    examples: ['link_…', 'link_… --yes'],
    args: linkArg,
    flags: { ...yesFlag, ...liveFlag },
    confirm: ({ args }) => `Delete bank link ${args.link} with its accounts and transactions`,
    view: () => 'Deleted',
  }),
  'bank:links:get': derived('GET /bank_links/{link_id}', {
    summary: 'Show a bank link: its state, and when each product was refreshed',
    examples: ['link_…', 'link_… --json'],
    args: linkArg,
    flags: liveFlag,
    view: linkView,
  }),
  'bank:links:list': derived('GET /_kyclone/bank_links', {
    summary: 'List bank links with their state, newest first',
    description:
      'The state is connected, or the error that keeps the link from its bank. GET /bank_links lists the same links ' +
      'for an application, without their state.',
    examples: ['', '--state error', 'Only some:\n--link-ids link_…,link_8p793EF07xKXHqAeg5VGPj --json'],
    flags: {
      id: entityFlag('only those of this user or business', { helpValue: 'FP_ID' }),
      state: option({ summary: 'only those in this state', options: LINK_STATES })(),
      'link-ids': string({ summary: 'only these; unknown ones are left out', helpValue: 'ID,...' }),
      ...pageFlags,
      ...spaceFlags,
    },
    send: ({ flags: { id, state, 'link-ids': link_ids } }) => ({ fp_id: id, state, link_ids }),
    note: (page, { flags }, _, { client }) => unknownFilters(page.data, flags, client),
    view: linkListView,
  }),
  'bank:links:reset': derived('POST /bank_links/{link_id}/reset', {
    summary: 'Disconnect a bank link, like a bank that requires a new sign-in',
    description:
      'Its state becomes error, auth_expired. What it brought stays readable; nothing is refreshed or imported until it is ' +
      'connected again: bank link --link.',
    examples: ['link_…', 'link_… --json'],
    args: linkArg,
    flags: liveFlag,
    view: () => 'Disconnected; what it brought stays readable',
    next: (_, { args, flags }) =>
      `To connect it again: kyclone bank link --link ${args.link}${flags.live ? ' --live' : ''}`,
  }),
  'bank:personas:list': derived('GET /_kyclone/personas', {
    summary: 'List the personas whose bank data a link can bring',
    examples: ['', '--json'],
    view: personaListView,
  }),
  'bank:personas:get': made(
    {
      summary: 'Show what the link of a persona brings',
      aliases: ['bank:personas:show'],
      examples: ['default', 'investor --json'],
      args: { name: stringArg({ description: 'name of a persona', required: true }) },
      view: personaView,
    },
    async ({ args }, { client }) => await findPersona(client, args.name),
  ),
  'bank:tick': made(
    {
      summary: 'Let days pass and show what they brought to bank links',
      description:
        'It moves the clock of the whole instance, of every tenant and of both environments: other due work runs ' +
        'too, as by clock advance. It shows the links of the key, or the one of --link: what came, and what of it and of what ' +
        'was pending before is posted. A disconnected link gets nothing.',
      examples: ['--days 1', '--days 30 --link link_… --json'],
      flags: {
        days: integerFlag({ summary: 'how many', min: 1, max: 3650, required: true, helpValue: 'N' }),
        link: string({ summary: 'show this link only', helpValue: 'LINK' }),
        ...liveFlag,
      },
      next: tickNote,
      view: tickView,
    },
    async ({ flags: { days, link } }, { client }) => await tick(client, { days, link }),
  ),
};
