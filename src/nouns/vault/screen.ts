/**
 * Values and files of a vault, for a reason: on the screen for a limited time (contract §2.16, §10), as an image in
 * the browser, of which nothing is kept in a file, or saved on this machine.
 */
import { jsonText } from '../../kernel/text/json.ts';
import { counted } from '../../kernel/text/count-text.ts';
import { MIB } from '../../kernel/numbers/units.ts';
import { bareType, IMAGE_TYPES } from '../../tui/data/images.ts';
import type { Source } from '../../tui/data/source.ts';
import {
  abandon,
  decrypt,
  decryptAll,
  describeFile,
  openFile,
  ownName,
  pathProblem,
  wholeFile,
  type VaultFile,
} from '../../tui/data/vault-files.ts';
import { identifiersOf } from '../../tui/state/subject.ts';
import { type ActionDefinition, type ActionOutcome, textField } from '../../tui/actions/definition.ts';
import { fieldSubject, reasonProblem, type FieldSubject } from '../../tui/actions/subjects.ts';
import { FileRefusedError } from '../../client/whole-file.ts';
import { absolutePath, isOwnName, savedWhere, savePrivately } from '../../tui/data/private-file.ts';
import { done } from '../../tui/actions/things.ts';

/** No terminal shows a larger image in reasonable time. */
const IMAGE_LIMIT_BYTES = 8 * MIB;

const whyField = (hint: string) => textField('reason', 'Reason', hint, { problem: reasonProblem });

const ON_FILE = {
  subject(row) {
    const field = fieldSubject(row);
    return field?.type === 'file' ? field : undefined;
  },
  needs: 'Select a file of a vault first',
  leavesTrace: true,
} satisfies Partial<ActionDefinition<FieldSubject>>;

export const reveal: ActionDefinition<FieldSubject> = {
  label: 'Reveal a field',
  subject: fieldSubject,
  needs: 'Select a field of a vault first',
  leavesTrace: true,
  fields: () => [
    whyField('The API decrypts the value; the access log keeps this reason. It is hidden after 20 s'),
  ],
  // The form has said everything. A second question would train users to confirm without reading.
  confirm: () => [],
  async perform(source, field, { reason = '' }) {
    if (field.parts !== undefined) return await revealAll(source, [field], reason);
    if (field.type === 'file') return await revealFile(source, field, reason);
    const value = await decrypt(source, field, reason);
    if (value === null) return nothing(field);
    return { type: 'reveal', title: titleOf(field), values: [textOf(value)] };
  },
  atOnce: {
    problem([first, ...others]) {
      if ([first, ...others].some((field) => field?.type === 'file'))
        return 'A file can only be revealed alone: unmark it first';
      return others.some(({ fp_id }) => fp_id !== first?.fp_id)
        ? 'Only fields of one user or business can be revealed together'
        : undefined;
    },
    perform: (source, subjects, { reason = '' }) => revealAll(source, subjects, reason),
  },
};

/** Decrypts fields of one entity with one call. */
async function revealAll(
  source: Source,
  subjects: readonly FieldSubject[],
  reason: string,
): Promise<ActionOutcome> {
  const fields = subjects.flatMap((field) =>
    identifiersOf(field).map((identifier) => ({ ...field, identifier })),
  );
  const [first, ...others] = fields.filter(
    ({ identifier }, at) => fields.findIndex((each) => each.identifier === identifier) === at,
  );
  if (first === undefined) throw new TypeError('no field to reveal');
  const values = await decryptAll(source, [first, ...others], reason);
  const shown = [first, ...others].map(({ identifier }, at) => {
    const value = values[at] ?? null;
    return value === null ? `${identifier} has no value` : `${identifier}: ${textOf(value)}`;
  });
  return { type: 'reveal', title: `${counted(shown.length, 'field')} of ${first.fp_id}`, values: shown };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value);
}

async function revealFile(source: Source, field: FieldSubject, reason: string): Promise<ActionOutcome> {
  // A file that can't be shown is not decrypted: the access log would record a decryption that nobody saw.
  const described = await describeFile(source, field);
  const refusal = described && whyUnseen(field, described);
  if (refusal !== undefined) return unseen(refusal, false);
  const file = await openFile(source, field, reason);
  if (file === undefined) return nothing(field);
  const contentType = bareType(file.contentType);
  const problem = whyUnseen(field, { contentType, bytes: 0 });
  if (problem !== undefined) {
    await abandon(file);
    return unseen(problem);
  }
  const bytes = await wholeFile(file, IMAGE_LIMIT_BYTES);
  if (bytes === undefined) return unseen(tooLarge(field));
  return { type: 'image', title: titleOf(field), contentType, bytes };
}

/** Why no terminal can show the file; undefined if one may. */
function whyUnseen(
  field: FieldSubject,
  { contentType, bytes }: { readonly contentType: string; readonly bytes: number },
): string | undefined {
  const type = bareType(contentType);
  if (!isImage(type)) return `${field.identifier} is a ${type}: w saves it`;
  return bytes > IMAGE_LIMIT_BYTES ? tooLarge(field) : undefined;
}

function tooLarge({ identifier }: FieldSubject): string {
  return `${identifier} is larger than 8 MiB: w saves it`;
}

function titleOf({ identifier, fp_id }: FieldSubject): string {
  return `${identifier} of ${fp_id}`;
}

function unseen(text: string, changes = true): ActionOutcome {
  return done(text, 'warn', changes);
}

function nothing({ identifier }: FieldSubject): ActionOutcome {
  return unseen(`${identifier} has no value`);
}

export const browse: ActionDefinition<FieldSubject> = {
  label: 'Open an image',
  ...ON_FILE,
  fields: () => [
    whyField('The API decrypts the file when the browser opens; the access log keeps this reason'),
  ],
  // The form has said it all.
  confirm: () => [],
  async perform(source, field, { reason = '' }) {
    const described = await describeFile(source, field);
    if (described !== undefined && !isImage(described.contentType))
      return unseen(`${field.identifier} is not an image, so nothing was decrypted: w saves it`, false);
    const read = async (): Promise<VaultFile> => {
      const file = await openFile(source, field, reason);
      if (file === undefined) throw new NothingToShow();
      if (isImage(file.contentType)) return { ...file, contentType: bareType(file.contentType) };
      await abandon(file);
      throw new NothingToShow();
    };
    return { type: 'browse', read };
  },
};

function isImage(contentType: string): boolean {
  return IMAGE_TYPES.some((known) => known === bareType(contentType));
}

class NothingToShow extends Error {
  override readonly name = 'NothingToShow';
}

export const save: ActionDefinition<FieldSubject> = {
  label: 'Save a file',
  ...ON_FILE,
  fields: (field) => [
    whyField('The API decrypts the file; the access log keeps this reason'),
    textField(
      'path',
      'Save as',
      'This name gets the extension of the file type; another name stays as you type it',
      { initial: `./${ownName(field)}`, problem: pathProblem },
    ),
  ],
  confirm(field, { path = '' }) {
    const { identifier, fp_id } = field;
    const target = absolutePath(path);
    const extension = isOwnName(target, ownName(field)) ? ' and the extension of its type' : '';
    return [
      `The API decrypts ${identifier} of ${fp_id}; the access log keeps your reason.`,
      ...savedWhere(target + extension),
    ];
  },
  async perform(source, field, { reason = '', path = '' }) {
    try {
      const saved = await savePrivately(path, ownName(field), () => openFile(source, field, reason));
      if (saved === undefined) return nothing(field);
      const { path: target, bytes, contentType } = saved;
      return done(`Saved ${target} (${bytes} bytes, ${contentType})`);
    } catch (error) {
      if (error instanceof FileRefusedError) return done(error.message, 'bad', false);
      throw error;
    }
  },
};
