import { option, string } from '@oclif/core/flags';
import { LINK_STATES } from '../../contract/facts/banks.ts';
import { linkArg } from '../bank/flags.ts';
import { accountListView, linkListView, linkView, personaListView } from '../bank/view.ts';
import { deletedView } from '../entities/view.ts';
import { derived } from '../shell/derived.ts';
import { entityFlag, liveFlag, pageFlags, spaceFlags, yesFlag } from '../shell/flags.ts';

export default {
  'bank:accounts': derived('GET /bank_links/{link_id}/accounts', {
    summary: 'List the accounts of a bank link with their balances',
    description: 'The balance of a liability is what is owed.',
    examples: [
      'bank accounts link_7p793EF07xKXHqAeg5VGPj',
      'bank accounts link_7p793EF07xKXHqAeg5VGPj --json',
    ],
    args: linkArg,
    flags: liveFlag,
    view: accountListView,
  }),
  'bank:links:delete': derived('DELETE /bank_links/{link_id}', {
    summary: 'Delete a bank link with its accounts and transactions; this cannot be undone',
    description: 'Account numbers that it brought into the vault stay there.',
    examples: [
      'bank links delete link_7p793EF07xKXHqAeg5VGPj',
      'bank links delete link_7p793EF07xKXHqAeg5VGPj --yes',
    ],
    args: linkArg,
    flags: { ...yesFlag, ...liveFlag },
    confirm: ({ args }) => `Delete bank link ${args.link} with its accounts and transactions`,
    view: deletedView,
  }),
  'bank:links:get': derived('GET /bank_links/{link_id}', {
    summary: 'Show a bank link: its state, and when each product was refreshed',
    examples: [
      'bank links get link_7p793EF07xKXHqAeg5VGPj',
      'bank links get link_7p793EF07xKXHqAeg5VGPj --json',
    ],
    args: linkArg,
    flags: liveFlag,
    view: linkView,
  }),
  'bank:links:list': derived('GET /_kyclone/bank_links', {
    summary: 'List bank links with their state, newest first',
    description:
      'The state is connected, or the error that keeps the link from its bank. GET /bank_links lists the same links ' +
      'for an application, without their state.',
    examples: [
      'bank links list',
      'bank links list --state error',
      'Only some:\n<%= config.bin %> bank links list --link-ids link_7p793EF07xKXHqAeg5VGPj,link_8p793EF07xKXHqAeg5VGPj --json',
    ],
    flags: {
      id: entityFlag('only those of this user or business', { helpValue: 'FP_ID' }),
      state: option({ summary: 'only those in this state', options: LINK_STATES })(),
      'link-ids': string({ summary: 'only these; unknown ones are left out', helpValue: 'ID,...' }),
      ...pageFlags,
      ...spaceFlags,
    },
    send: ({ flags: { id, state, 'link-ids': link_ids } }) => ({ fp_id: id, state, link_ids }),
    view: linkListView,
  }),
  'bank:personas:list': derived('GET /_kyclone/personas', {
    summary: 'List the personas whose bank data a link can bring',
    examples: ['bank personas list', 'bank personas list --json'],
    view: personaListView,
  }),
};
