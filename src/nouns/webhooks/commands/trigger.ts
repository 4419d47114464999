import { string as stringArg } from '@oclif/core/args';
import { boolean, option, string } from '@oclif/core/flags';
import { TRIGGER_COUNT } from '../facts.ts';
import { TERMINAL_STATUSES } from '../../onboardings/facts.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { EXIT } from '../../../cli/shell/exit-codes.ts';
import { entityFlag, integerFlag, spaceFlags, spaceQuery, repeatable } from '../../../cli/shell/flags.ts';
import { triggerView } from './view.ts';
import { KINDS_HELP } from './flags.ts';
import {
  tamperingFlags,
  tamperingOf,
  setMembers,
  trigger,
  triggerBodies,
  needsReceiver,
  type TriggerResult,
} from './triggering.ts';

class WebhooksTrigger extends BaseCommand<TriggerResult> {
  static override summary = 'Send sample events, and show the result of the first attempt of each delivery';
  static override description =
    'Exit code 1 when a first attempt had an unexpected result: a delivery should succeed, a tampered one should be ' +
    'refused. If no endpoint takes the event, it is recorded and sent to nobody: that is a failure only with --to or a ' +
    'tampering flag. Several kinds are sent in the given order.';
  static override examples = [
    'onboarding.completed --status fail',
    'onboarding.completed --set onboarding_external_id=order-7 --count 3 --shuffle',
    'onboarding.completed --bad-signature',
  ];
  static override args = {
    kinds: stringArg({ description: `kinds of events: ${KINDS_HELP}`, multiple: true, required: true }),
  };
  static override flags = {
    'fp-id': entityFlag('about this user or business (default: a made-up one)'),
    status: option({ summary: 'its status', options: TERMINAL_STATUSES })(),
    set: string({
      summary: 'a member of its body: path=text or path:=JSON, dots lead into objects; repeatable',
      helpValue: 'PATH=VALUE',
      ...repeatable,
    }),
    count: integerFlag({
      summary: 'number of events of each kind',
      min: TRIGGER_COUNT.least,
      max: TRIGGER_COUNT.most,
      helpValue: 'N',
    }),
    to: string({ summary: 'to this endpoint only', helpValue: 'ID' }),
    ...tamperingFlags,
    'no-wait': boolean({ summary: "don't wait for the first attempts" }),
    ...spaceFlags,
  };

  async run(): Promise<TriggerResult> {
    const { args, flags } = await this.parse(WebhooksTrigger);
    const { 'fp-id': fp_id, status, set = [], count, to: webhook_id } = flags;
    const body = setMembers(set);
    const options = { fp_id, status, body, count, webhook_id, tampering: tamperingOf(flags) };
    const bodies = triggerBodies(args.kinds, options);
    const result = await trigger(this.client, { bodies, space: spaceQuery(flags), waits: !flags['no-wait'] });
    this.present(result, triggerView);
    if (result.deliveries.length === 0) this.note(NOBODY);
    const isFailed =
      result.deliveries.length === 0 ? bodies.some(needsReceiver) : result.as_expected === false;
    this.endWith(isFailed ? EXIT.failed : EXIT.ok);
    return result;
  }
}

const NOBODY =
  'Sent to nobody: no enabled endpoint takes this kind. kyclone webhooks listen --forward-to URL registers one';

export default { 'webhooks:trigger': WebhooksTrigger };
