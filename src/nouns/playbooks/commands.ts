/** Playbooks: shared flags of `playbooks create` and `playbooks update` (contract §4.1), and their views. */
import { string as stringArg } from '@oclif/core/args';
import { option, string, boolean } from '@oclif/core/flags';
import { groupText, PLAYBOOK_KINDS } from '../onboardings/facts.ts';
import { OUTCOMES } from '../outcomes/facts.ts';
import { DOCUMENT_KINDS } from '../vault/facts.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { defined } from '../../kernel/defined.ts';
import { derived } from '../../cli/shell/derived.ts';
import { UsageError } from '../../cli/shell/failure.ts';
import {
  eitherOf,
  type FlagValues,
  opposite,
  pageFlags,
  spaceFlags,
  yesFlag,
  repeatable,
} from '../../cli/shell/flags.ts';
import { facts, listView, members } from '../../cli/shell/layout.ts';
import type { Style } from '../../cli/shell/output.ts';
import { durationFlag, durationText } from '../../cli/shell/times.ts';

type Playbook = AnswerOf<'GET /_kyclone/playbooks/{key}'>;
type Changes = RequestOf<'PATCH /_kyclone/playbooks/{key}'>['body'];

const playbookArg = {
  key: stringArg({ description: 'key of the playbook (pb_test_… or pb_live_…)', required: true }),
};

const playbookFlags = {
  require: string({
    summary: 'a required identifier; of a comma-separated group one is enough; repeatable',
    helpValue: 'IDENTIFIERS',
    ...repeatable,
  }),
  'require-nothing': opposite('require', 'no identifier is required'),
  'default-outcome': option({ summary: 'the outcome of runs without another rule', options: OUTCOMES })(),
  delay: durationFlag({ summary: 'how long runs are pending: 1500ms, 30s, 2m, 1h, PT2M' }),
  'session-delay': durationFlag({ summary: 'how long hosted runs are pending, after the person has left' }),
  rules: boolean({ summary: 'the playbook has rules over signals: runs get the default outcome' }),
  'no-rules': opposite('rules', 'the playbook has no rules: the outcome of runs is none'),
  'collects-owners': boolean({ summary: 'owners are asked for, in a hosted flow only' }),
  'no-collects-owners': opposite('collects-owners', 'owners are not asked for'),
  'owners-playbook': string({
    summary: 'key of the kyc playbook that a hosted flow runs each owner on; needs --collects-owners',
    helpValue: 'KEY',
  }),
  'no-owners-playbook': opposite('owners-playbook', 'owners are not run on a playbook'),
  document: option({
    summary: 'a kind of document; a hosted flow asks for one of the kinds given; repeatable',
    options: DOCUMENT_KINDS,
    ...repeatable,
  })(),
  'no-document': opposite('document', 'no document is asked for beside the data'),
  selfie: boolean({ summary: 'a hosted flow asks for a picture of the person beside the document' }),
  'no-selfie': opposite('selfie', 'no picture of the person is asked for'),
  'bank-link': boolean({ summary: 'a hosted flow asks for a bank' }),
  'no-bank-link': opposite('bank-link', 'no bank is asked for'),
};

type PlaybookFlags = Partial<FlagValues<typeof playbookFlags>>;

/** The given members. Throws UsageError. */
export function playbookSettings(flags: PlaybookFlags): Omit<Changes, 'name'> {
  const orNone = <Value>(given: Value | undefined, isNone = false) => (isNone ? null : given);
  return defined({
    requirements: requirementsOf(flags),
    has_rules: eitherOf(flags.rules, flags['no-rules']),
    default_outcome: flags['default-outcome'],
    delay_ms: flags.delay,
    session_delay_ms: flags['session-delay'],
    collects_owners: eitherOf(flags['collects-owners'], flags['no-collects-owners']),
    owners_playbook_key: orNone(flags['owners-playbook'], flags['no-owners-playbook']),
    documents: orNone(flags.document && [...new Set(flags.document)], flags['no-document']),
    selfie: eitherOf(flags.selfie, flags['no-selfie']),
    bank_link: eitherOf(flags['bank-link'], flags['no-bank-link']),
  });
}

function requirementsOf(flags: PlaybookFlags): string[][] | undefined {
  if (flags['require-nothing']) return [];
  return flags.require?.map((group) => {
    const identifiers = group.split(',').map((identifier) => identifier.trim());
    if (identifiers.includes('')) throw new UsageError('--require takes identifiers: id.ssn9,id.ssn4');
    return identifiers;
  });
}

export const playbookListView = listView<AnswerOf<'GET /_kyclone/playbooks'>>('No playbooks', [
  ['KEY', 'key'],
  ['KIND', 'kind'],
  ['VERSION', 'version'],
  ['OUTCOME', ({ has_rules, default_outcome }) => (has_rules ? default_outcome : 'none')],
  ['NAME', (playbook) => [playbook.name, ...askedInFlow(playbook)].join(', ')],
]);

export function playbookView(playbook: Playbook, style: Style): string {
  const { has_rules: hasRules, default_outcome: outcome } = playbook;
  return facts(
    members(playbook, {
      requirements: ['requires', (groups) => groups.map(groupText)],
      has_rules: [],
      default_outcome: [
        'outcome',
        () => (hasRules ? outcome : `none, as it has no rules (with rules: ${outcome})`),
      ],
      delay_ms: ['delay', durationText],
      session_delay_ms: ['session delay', durationText],
      owners_playbook_key: ['owners playbook'],
      documents: ['documents', (kinds) => kinds?.join(' or ') ?? null],
      created_at: ['created'],
    }),
    style,
  );
}

function askedInFlow(playbook: Playbook): string[] {
  const { collects_owners, owners_playbook_key, documents, selfie, bank_link } = playbook;
  const asked = [
    ...(collects_owners ? [owners_playbook_key === null ? 'owners' : 'owners, who are run'] : []),
    ...(documents ? [documents.join(' or ')] : []),
    ...(selfie ? ['selfie'] : []),
    ...(bank_link ? ['bank'] : []),
  ];
  return asked.length === 0 ? [] : [`with ${asked.join(', ')}`];
}

export default {
  'playbooks:create': derived('POST /_kyclone/playbooks', {
    summary: 'Create a playbook',
    description:
      'Without --require a kyc or kyb playbook requires what the default one does. In the sandbox, unless --live.',
    examples: [
      '"Light KYC" --kind kyc --require id.first_name --require id.ssn9,id.ssn4',
      '"Slow KYB" --kind kyb --key pb_test_slow --delay 2m --default-outcome fail',
      'Passports --kind document --document passport --selfie',
      '"KYC with a bank" --kind kyc --bank-link',
      'Owners --kind kyb --collects-owners --owners-playbook pb_test_kycdefault000000000000',
    ],
    args: { name: stringArg({ description: 'name of the playbook', required: true }) },
    flags: {
      kind: option({ summary: 'kind of the playbook', options: PLAYBOOK_KINDS, required: true })(),
      key: string({ summary: 'a key of your choice (default: a generated one)', helpValue: 'KEY' }),
      ...playbookFlags,
      ...spaceFlags,
    },
    send: ({ args, flags }) => ({
      name: args.name,
      kind: flags.kind,
      key: flags.key,
      ...playbookSettings(flags),
    }),
    view: playbookView,
  }),
  'playbooks:delete': derived('DELETE /_kyclone/playbooks/{key}', {
    summary: 'Delete a playbook that has no open onboardings',
    examples: ['pb_test_mine --yes', 'pb_test_mine --dry-run'],
    args: playbookArg,
    flags: { ...yesFlag, ...spaceFlags },
    confirm: 'Delete this playbook',
  }),
  'playbooks:get': derived('GET /_kyclone/playbooks/{key}', {
    summary: 'Show a playbook: its requirements and the outcomes of its runs',
    examples: ['pb_test_kycdefault000000000000', 'pb_test_kybdefault000000000000 --output yaml'],
    args: playbookArg,
    flags: spaceFlags,
    view: playbookView,
  }),
  'playbooks:list': derived('GET /_kyclone/playbooks', {
    summary: 'List playbooks, newest first: what users and businesses are onboarded onto',
    examples: ['', '--kind kyb --live --json'],
    flags: {
      kind: option({ summary: 'only those of this kind', options: PLAYBOOK_KINDS })(),
      ...pageFlags,
      ...spaceFlags,
    },
    view: playbookListView,
  }),
  'playbooks:update': derived('PATCH /_kyclone/playbooks/{key}', {
    summary: 'Change a playbook',
    description:
      'Changes of its requirements, its rules or its default outcome make a new version. --require replaces all that ' +
      'was required before. A delay of 0 means none.',
    examples: [
      'pb_test_mine --default-outcome manual_review',
      'pb_test_mine --require id.email --require id.ssn9,id.itin --delay 0s',
      'pb_test_mine --document id_card --document passport --selfie',
      'pb_test_mine --no-selfie --no-document',
    ],
    args: playbookArg,
    flags: {
      name: string({ summary: 'name of the playbook', helpValue: 'TEXT' }),
      ...playbookFlags,
      ...spaceFlags,
    },
    send: ({ flags }) => ({ name: flags.name, ...playbookSettings(flags) }),
    view: playbookView,
  }),
};
