/** The playbooks of this environment: what runs and hosted flows need, and how they end (contract §4.1, §14). */
import type { AnswerOf } from '../../contract/registry.ts';
import { counted } from '../../kernel/text/count-text.ts';
import { durationText } from '../../kernel/time/duration.ts';
import { shortTime } from '../../kernel/text/terminal-text.ts';
import { listPane, listScreen } from '../../tui/screens/list-pane.ts';
import { copiesOf } from '../../tui/screens/space.ts';

type Playbook = AnswerOf<'GET /_kyclone/playbooks'>['data'][number];

export const playbooksScreen = listScreen(
  {
    name: 'playbooks',
    says: 'what runs and hosted flows ask for',
    words: 'requirements documents owners kyc kyb',
  },
  listPane('GET /_kyclone/playbooks', {
    title: 'Playbooks',
    columns: [
      { heading: 'NAME', grows: true, atLeast: 12, cell: 'name' },
      { heading: 'KIND', cell: 'kind' },
      { heading: 'OUTCOME', cell: outcomeText },
      { heading: 'ASKS FOR', grows: true, atLeast: 18, cell: askedText },
      { heading: 'VERSION', align: 'right', drop: 1, cell: 'version' },
      { heading: 'KEY', isId: true, cell: 'key' },
      { heading: 'IDENTIFIERS', drop: 2, cell: identifiersText },
      { heading: 'CREATED (UTC)', drop: 3, cell: ({ created_at: at }) => shortTime(at) },
    ],
    empty: 'No playbooks: kyclone playbooks create makes one',
    changesWith: ['request'],
    row: ({ key }, { space }) => ({
      id: key,
      ...copiesOf(['playbooks', 'get', key], `/_kyclone/playbooks/${key}`, space),
    }),
  }),
);

/** `pass after 2s, in a session after 5s`. */
function outcomeText(playbook: Playbook): string {
  const { has_rules, default_outcome, delay_ms: delay, session_delay_ms: later } = playbook;
  return [
    (has_rules ? default_outcome : 'none') + (delay === 0 ? '' : ` after ${durationText(delay)}`),
    ...(later === delay
      ? []
      : [later === 0 ? 'in a session at once' : `in a session after ${durationText(later)}`]),
  ].join(', ');
}

/** What must be there, for who reads the row: of a group one is enough. */
function identifiersText({ requirements }: Playbook): string {
  const each = requirements.map((group) => group.join(' or '));
  return each.join(', ') || '-';
}

/** What a hosted flow asks for beside the data that must be there. */
function askedText(playbook: Playbook): string {
  const {
    requirements,
    documents,
    selfie,
    collects_owners: owners,
    owners_playbook_key: ownersKey,
  } = playbook;
  return [
    ...(requirements.length === 0 ? [] : [counted(requirements.length, 'required value')]),
    ...(documents === null
      ? []
      : [documents.length === 1 ? String(documents[0]) : `one of ${documents.length} documents`]),
    ...(selfie ? ['selfie'] : []),
    ...(owners ? [ownersKey === null ? 'owners' : 'owners, each verified'] : []),
    ...(playbook.bank_link ? ['bank'] : []),
  ].join(', ');
}
