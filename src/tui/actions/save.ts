/** Saves a file of a vault on this machine, with a reason. */
import { FileRefusedError } from '../../client/whole-file.ts';
import { absolutePath, isOwnName, ownName, pathProblem, savePrivately } from '../data/private-file.ts';
import { openFile } from '../data/vault-files.ts';
import type { Notice } from '../state/model.ts';
import type { ActionDefinition, ActionOutcome } from './definition.ts';
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
      hint: 'The API decrypts the file; the access log keeps this reason',
    },
    {
      name: 'path',
      label: 'Save as',
      kind: 'text',
      isRequired: true,
      initial: `./${ownName(asField(subject))}`,
      hint: 'This name gets the extension of the file type; another name stays as you type it',
    },
  ],
  check: (field, value) => (field === 'path' ? pathProblem(value) : reasonProblem(value)),
  confirm(subject, { path = '' }) {
    const { identifier, fp_id } = asField(subject);
    const target = absolutePath(path);
    const extension = isOwnName(target, ownName(asField(subject))) ? ' and the extension of its type' : '';
    return [
      `The API decrypts ${identifier} of ${fp_id}; the access log keeps your reason.`,
      `It is saved in the clear as ${target}${extension}. Only you can read it (0600).`,
      'An existing file of this name is not replaced.',
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

function done(tone: Notice['tone'], text: string, changes: boolean): ActionOutcome {
  return { kind: 'done', notice: { tone, text }, changes };
}
