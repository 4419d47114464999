/** One value or image of a vault on the screen, for a while and for a reason (contract §2.16, §10). */
import { MIB } from '../../kernel/units.ts';
import { bareType, IMAGE_TYPES } from '../data/images.ts';
import type { Source } from '../data/source.ts';
import { abandon, decrypt, openFile, wholeFile } from '../data/vault-files.ts';
import type { ActionDefinition, Outcome } from './definition.ts';
import { asField, fieldSubject, reasonProblem, type FieldSubject } from './subjects.ts';

/** No terminal shows more in a sensible time. */
const IMAGE_LIMIT_BYTES = 8 * MIB;

export const reveal: ActionDefinition = {
  name: 'reveal',
  label: 'Reveal a field',
  subject: fieldSubject,
  needs: 'Select a field of a vault first',
  leavesTrace: true,
  fields: () => [
    {
      name: 'reason',
      label: 'Reason',
      kind: 'text',
      isRequired: true,
      hint: 'It is decrypted through the API, is in the access log with this reason, and hides after 20 s',
    },
  ],
  check: (_, value) => reasonProblem(value),
  // The form has said it all; asking twice would teach to agree without reading.
  confirm: () => [],
  async perform(source, subject, { reason = '' }) {
    const field = asField(subject);
    if (field.type === 'file') return await revealFile(source, field, reason);
    const value = await decrypt(source, field, reason);
    if (value === null) return nothing(field);
    return {
      kind: 'reveal',
      title: titleOf(field),
      value: typeof value === 'string' ? value : JSON.stringify(value),
    };
  },
};

async function revealFile(source: Source, field: FieldSubject, reason: string): Promise<Outcome> {
  const file = await openFile(source, field, reason);
  if (file === undefined) return nothing(field);
  const contentType = bareType(file.contentType);
  if (!IMAGE_TYPES.some((type) => type === contentType)) {
    await abandon(file);
    return unseen(`${field.identifier} is a ${contentType}: w saves it`);
  }
  const bytes = await wholeFile(file, IMAGE_LIMIT_BYTES);
  if (bytes === undefined) return unseen(`${field.identifier} is larger than 8 MiB: w saves it`);
  return { kind: 'image', title: titleOf(field), contentType, bytes };
}

function titleOf({ identifier, fp_id }: FieldSubject): string {
  return `${identifier} of ${fp_id}`;
}

function unseen(text: string): Outcome {
  return { kind: 'done', notice: { tone: 'warn', text }, changes: true };
}

function nothing({ identifier }: FieldSubject): Outcome {
  return unseen(`${identifier} has no value`);
}
