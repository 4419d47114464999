/** These are run often, so they are apart from `entities.ts`, which loads more. */
import { string } from '@oclif/core/flags';
import { twins } from './twins.ts';
import { entityView } from './view.ts';
import { derived } from '../../../cli/shell/derived.ts';
import { liveFlag } from '../../../cli/shell/flags.ts';

export default twins(({ kind, arg, id }) => ({
  get: derived('GET /{entity}', {
    summary: `Show a ${kind}: ids and status, nothing of its vault`,
    examples: [id, `${id} --output yaml`],
    args: arg,
    flags: liveFlag,
    view: entityView,
  }),
  update: derived('PATCH /{entity}', {
    summary: `Change a ${kind}'s external id; its data is changed by vault set`,
    examples: [`${id} --external-id customer-4711`, `${id} --external-id customer-4712 --json`],
    args: arg,
    flags: { 'external-id': string({ summary: 'the new external id', helpValue: 'ID' }), ...liveFlag },
    view: entityView,
  }),
}));
