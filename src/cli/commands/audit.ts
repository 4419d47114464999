import { auditVerifyView } from '../instance/control-view.ts';
import { derived } from '../shell/derived.ts';

export default {
  'audit:verify': derived('GET /_kyclone/access-log/verify', {
    summary: 'Recompute the hash chain of the access log; exit code 1 when it is broken',
    description:
      'The last entry is also kept beside the store, in access-log.anchor in the data folder: a log that ends before it, ' +
      'and an anchor that is missing or was changed, are reported and end with exit code 1, too. To keep the state and ' +
      'begin a new anchor, save a snapshot and load it.',
    examples: ['audit verify', 'audit verify --field ok'],
    view: auditVerifyView,
    fails: ({ ok }) => !ok,
  }),
};
