import { string as stringArg } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import { accountLabels, LINK_STATES } from '../facts.ts';
import { accountFlag, accountIds, linkArg } from './flags.ts';
import { holdingsView, unknownAccountsNote } from './ledger-view.ts';
import { FROZEN_NOTE, isClockFrozen, productsOf, refreshFlags, tick, waitForRefresh } from './refreshing.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import {
  accountList,
  findPersona,
  linkListView,
  linkView,
  personaListView,
  personaView,
  tickNote,
  tickList,
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

class BankLinksRefresh extends BaseCommand {
  static override summary = 'Ask the bank of a link for what is new';
  static override description =
    'It takes two seconds of the clock of the instance: a frozen one has to be moved. With --json it prints what the call ' +
    'returns; with --wait, the refreshed link.';
  static override examples = [
    'link_… --wait',
    'Some of it:\nlink_… --product transactions --product accounts',
  ];
  static override args = linkArg;
  static override flags = { ...refreshFlags, ...liveFlag };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(BankLinksRefresh);
    const params = { link_id: args.link };
    const before = await this.client.call('GET /bank_links/{link_id}', { params });
    const products = flags.product ?? productsOf(before);
    const answer = await this.client.call('POST /bank_links/{link_id}/data_refresh', {
      params,
      body: { products },
    });
    if (await isClockFrozen(this.client)) this.note(FROZEN_NOTE);
    if (!flags.wait) return this.present(answer, () => `Asked for ${products.join(', ')}`);
    const wait = { products, timeoutMs: flags.timeout };
    const link = await waitForRefresh(this.client, before, wait);
    return this.present(link, () => linkView(link, this.style));
  }
}

export default {
  'bank:links:refresh': BankLinksRefresh,
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
    view: ({ accounts }, style) => accountList(accounts, style),
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
      view: ({ links }, style) => tickList(links, style),
    },
    async ({ flags: { days, link } }, { client }) => await tick(client, { days, link }),
  ),
};
