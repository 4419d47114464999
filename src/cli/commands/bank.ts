import { string as stringArg } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import { LINK_STATES } from '../../contract/facts/banks.ts';
import { linkArg } from '../bank/flags.ts';
import { tick } from '../bank/refreshing.ts';
import {
  accountListView,
  reconnectNote,
  resetView,
  findPersona,
  linkListView,
  linkView,
  personaListView,
  personaView,
  tickNote,
  tickView,
} from '../bank/view.ts';
import { deletedView } from '../entities/view.ts';
import { derived, made } from '../shell/derived.ts';
import { entityFlag, integerFlag, liveFlag, pageFlags, spaceFlags, yesFlag } from '../shell/flags.ts';

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
  'bank:links:reset': derived('POST /bank_links/{link_id}/reset', {
    summary: 'Disconnect a bank link, like a bank that requires a new sign-in',
    description:
      'Its state becomes error, auth_expired. What it brought stays readable; nothing is refreshed or imported until it is ' +
      'connected again: bank link --link.',
    examples: [
      'bank links reset link_7p793EF07xKXHqAeg5VGPj',
      'bank links reset link_7p793EF07xKXHqAeg5VGPj --json',
    ],
    args: linkArg,
    flags: liveFlag,
    view: resetView,
    next: (_, { args, flags }) => reconnectNote(args.link, flags.live),
  }),
  'bank:personas:list': derived('GET /_kyclone/personas', {
    summary: 'List the personas whose bank data a link can bring',
    examples: ['bank personas list', 'bank personas list --json'],
    view: personaListView,
  }),
  'bank:personas:get': made(
    {
      summary: 'Show what the link of a persona brings',
      aliases: ['bank:personas:show'],
      examples: ['bank personas get default', 'bank personas get investor --json'],
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
      examples: ['bank tick --days 1', 'bank tick --days 30 --link link_7p793EF07xKXHqAeg5VGPj --json'],
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
