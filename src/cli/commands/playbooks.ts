import { string as stringArg } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import { PLAYBOOK_KINDS } from '../../contract/facts/onboardings.ts';
import { deletedView } from '../entities/view.ts';
import {
  playbookArg,
  playbookFlags,
  playbookListView,
  playbookSettings,
  playbookView,
} from '../playbooks/playbooks.ts';
import { derived } from '../shell/derived.ts';
import { pageFlags, spaceFlags, yesFlag } from '../shell/flags.ts';

export default {
  'playbooks:create': derived('POST /_kyclone/playbooks', {
    summary: 'Create a playbook',
    description:
      'Without --require a kyc or kyb playbook requires what the default one does. In the sandbox, unless --live.',
    examples: [
      'playbooks create "Light KYC" --kind kyc --require id.first_name --require id.ssn9,id.ssn4',
      'playbooks create "Slow KYB" --kind kyb --key pb_test_slow --delay 2m --default-outcome fail',
      'playbooks create Passports --kind document --document passport --selfie',
      'playbooks create "KYC with a bank" --kind kyc --bank-link',
      'playbooks create Owners --kind kyb --collects-owners --owners-playbook pb_test_kycdefault000000000000',
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
    examples: ['playbooks delete pb_test_mine --yes', 'playbooks delete pb_test_mine --dry-run'],
    args: playbookArg,
    flags: { ...yesFlag, ...spaceFlags },
    confirm: 'Delete this playbook',
    view: deletedView,
  }),
  'playbooks:get': derived('GET /_kyclone/playbooks/{key}', {
    summary: 'Show a playbook: its requirements and the outcomes of its runs',
    examples: [
      'playbooks get pb_test_kycdefault000000000000',
      'playbooks get pb_test_kybdefault000000000000 --output yaml',
    ],
    args: playbookArg,
    flags: spaceFlags,
    view: playbookView,
  }),
  'playbooks:list': derived('GET /_kyclone/playbooks', {
    summary: 'List playbooks, newest first: what users and businesses are onboarded onto',
    examples: ['playbooks list', 'playbooks list --kind kyb --live --json'],
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
      'playbooks update pb_test_mine --default-outcome manual_review',
      'playbooks update pb_test_mine --require id.email --require id.ssn9,id.itin --delay 0s',
      'playbooks update pb_test_mine --document id_card --document passport --selfie',
      'playbooks update pb_test_mine --no-selfie --no-document',
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
