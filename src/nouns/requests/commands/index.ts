import { string as stringArg } from '@oclif/core/args';
import { filterFlags, requestListView, requestView, wantsControl } from './journal.ts';
import { derived } from '../../../cli/shell/derived.ts';
import { pageFlags, yesFlag } from '../../../cli/shell/flags.ts';
import { momentFlag, resolveMoment } from '../../../cli/shell/times.ts';

export default {
  'requests:delete': derived('DELETE /_kyclone/requests', {
    summary: 'Delete all requests of the journal; the access log stays',
    aliases: ['requests:clear'],
    examples: ['--yes', '--yes --json'],
    flags: yesFlag,
    confirm: 'Delete all requests of the journal',
  }),
  'requests:get': derived('GET /_kyclone/requests/{id}', {
    summary: 'Show a request with its response; values are masked',
    aliases: ['requests:show'],
    examples: ['req_…', 'req_… --json'],
    args: { id: stringArg({ description: 'x-request-id of the response (req_…)', required: true }) },
    view: requestView,
  }),
  'requests:list': derived('GET /_kyclone/requests', {
    summary: 'List the last requests, newest first; values are masked',
    description:
      'The journal keeps the last 2,000 requests since the daemon started. Calls below /_kyclone/ are left out unless --control.',
    examples: ['--since 10m', '--method POST --path "/users/**" --status 400'],
    flags: {
      ...filterFlags,
      since: momentFlag({ summary: 'only from this time on: a time, or how long ago (10m)' }),
      ...pageFlags,
    },
    send: async ({ flags }, { client }) => ({
      method: flags.method,
      path: flags.path,
      status: flags.status,
      since: flags.since && (await resolveMoment(flags.since, client)),
      control: wantsControl(flags),
    }),
    view: requestListView,
  }),
};
