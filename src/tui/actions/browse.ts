/** An image of a vault in the browser, for a reason. Nothing of it is kept in a file. */
import { bareType, IMAGE_TYPES } from '../data/images.ts';
import { abandon, describeFile, openFile, type VaultFile } from '../data/vault-files.ts';
import type { ActionDefinition, ActionOutcome } from './definition.ts';
import { asField, fieldSubject, reasonProblem } from './subjects.ts';

export const browse: ActionDefinition = {
  name: 'browse',
  label: 'Open an image in the browser',
  subject(row) {
    const field = fieldSubject(row);
    return field?.type === 'file' ? field : undefined;
  },
  needs: 'Select a file of a vault first',
  leavesTrace: true,
  fields: () => [
    {
      name: 'reason',
      label: 'Reason',
      kind: 'text',
      isRequired: true,
      hint: 'The API decrypts the file when the browser opens; the access log keeps this reason',
    },
  ],
  check: (_, value) => reasonProblem(value),
  // The form has said it all.
  confirm: () => [],
  async perform(source, subject, { reason = '' }) {
    const field = asField(subject);
    const described = await describeFile(source, field);
    if (described !== undefined && !isImage(described.contentType)) return unseen(field.identifier);
    const read = async (): Promise<VaultFile> => {
      const file = await openFile(source, field, reason);
      if (file === undefined) throw new NothingToShow();
      if (isImage(file.contentType)) return { ...file, contentType: bareType(file.contentType) };
      await abandon(file);
      throw new NothingToShow();
    };
    return { kind: 'browse', read };
  },
};

function isImage(contentType: string): boolean {
  return IMAGE_TYPES.some((known) => known === bareType(contentType));
}

function unseen(identifier: string): ActionOutcome {
  const text = `${identifier} is not an image, so nothing was decrypted: w saves it`;
  return { kind: 'done', notice: { tone: 'warn', text }, changes: false };
}

class NothingToShow extends Error {
  override readonly name = 'NothingToShow';
}
