/** Saves a file of a vault on this machine, with a reason. */
import { FileRefusedError } from '../../client/whole-file.ts';
import { absolutePath, isOwnName, ownName, pathProblem, savePrivately } from '../data/private-file.ts';
import { openFile } from '../data/vault-files.ts';
import type { Notice } from '../state/model.ts';
import type { ActionDefinition, Outcome } from './definition.ts';
import { asField, fieldSubject, reasonProblem } from './subjects.ts';

export const save: ActionDefinition = {
  name: 'save',
  label: 'Save a file',
  subject(row) {
    const field = fieldSubject(row);
    return field?.type === 'file' ? field : undefined;
  },
  needs: 'Select a file of a vault first',
  leavesTrace: true,
  fields: (subject) => [
    {
      name: 'reason',
      label: 'Reason',
      kind: 'text',
      isRequired: true,
      hint: 'It is decrypted through the API and is in the access log with this reason',
    },
    {
      name: 'path',
      label: 'Save as',
      kind: 'text',
      isRequired: true,
      initial: `./${ownName(asField(subject))}`,
      hint: 'To this name the extension of its type is added; another is taken as it is',
    },
  ],
  check: (field, value) => (field === 'path' ? pathProblem(value) : reasonProblem(value)),
  confirm(subject, { path = '' }) {
    const { identifier, fp_id } = asField(subject);
    const target = absolutePath(path);
    const extension = isOwnName(target, ownName(asField(subject))) ? ' and the extension of its type' : '';
    return [
      `${identifier} of ${fp_id} is decrypted through the API, which is in the access log with your reason.`,
      `It is saved as ${target}${extension}, in the clear, for you alone to read (0600).`,
      'An existing file with this name is not replaced.',
    ];
  },
  async perform(source, subject, { reason = '', path = '' }) {
    const field = asField(subject);
    try {
      const saved = await savePrivately(path, ownName(field), () => openFile(source, field, reason));
      if (saved === undefined) return done('warn', `${field.identifier} has no value`, true);
      const { path: target, bytes, contentType } = saved;
      return done('good', `Saved ${target} (${bytes} bytes, ${contentType})`, true);
    } catch (error) {
      if (error instanceof FileRefusedError) return done('bad', error.message, false);
      throw error;
    }
  },
};

function done(tone: Notice['tone'], text: string, changes: boolean): Outcome {
  return { kind: 'done', notice: { tone, text }, changes };
}
