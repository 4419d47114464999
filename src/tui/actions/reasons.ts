/** The reason of an action: typed, or chosen from those typed before and those of the settings (contract §0.13). */
import { REASON_LIMIT } from '../../nouns/access-log/facts.ts';
import type { Source } from '../data/source.ts';
import type { Choice, FieldDefinition } from '../state/model.ts';
import { textField } from './definition.ts';
import { reasonProblem } from './subjects.ts';

export function reasonField(
  name: string,
  label: string,
  rest: Partial<FieldDefinition> = {},
): FieldDefinition {
  const hint = `At most ${REASON_LIMIT} characters`;
  return textField(name, label, hint, { isReason: true, problem: reasonProblem, ...rest });
}

/** The reasons of the setting `support.reasons`. */
export async function settingReasons({ client }: Source): Promise<readonly Choice[]> {
  const { support } = await client.call('GET /_kyclone/settings');
  return support.reasons.map((reason) => ({ value: reason, label: reason }));
}

/** The reason as a member of a body, left out when there is none. */
export function given({ reason = '' }: { readonly reason?: string | undefined }): { reason?: string } {
  return reason === '' ? {} : { reason };
}

/** Says what the access log will have of the action. */
export function recordLine(operator: string, reason: string): string {
  return reason === ''
    ? `The access log has it with the name ${operator}.`
    : `The access log has it with the name ${operator} and the reason “${reason}”.`;
}
