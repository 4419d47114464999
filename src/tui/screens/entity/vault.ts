/** The masked contents of the vault, by family, and which of them are images of documents. */
import { IDENTIFIER_FAMILIES } from '../../../contract/facts/vault.ts';
import { DOCUMENT_SIDES } from '../../../contract/facts/vault.ts';
import { shortened, shortTime } from '../../../kernel/terminal-text.ts';
import type { Row } from '../../state/model.ts';
import { partOf, type Inspection, type Ways } from './inspection.ts';

type Field = Inspection['vault'][number];

export const vault = partOf({
  title: 'Vault',
  columns: [
    { heading: 'FAMILY', drop: 2 },
    // The end of an identifier distinguishes it: those of one bank account begin alike.
    { heading: 'IDENTIFIER', isId: true },
    { heading: 'MASK', grows: true, atLeast: 18 },
    { heading: 'TYPE', drop: 1 },
    { heading: 'VERSION', align: 'right', drop: 3 },
    { heading: 'UPDATED (UTC)' },
  ],
  empty: 'The vault is empty',
  // Bank links add account numbers automatically.
  changesWith: ['request', 'onboarding', 'event'],
  page: (entity, ways) => ({
    rows: fieldRows(entity, ways),
    banner: entity.vault_version === 0 ? undefined : howToLookBack(entity.vault_version),
  }),
});

/**
 * The vault's version is used to read an older state. The contents of an old version are not part of the masked view
 * (contract §0.11).
 */
function howToLookBack(version: number): string {
  return `Vault version ${version}. An older version: kyclone vault get or decrypt … --at N`;
}

function fieldRows({ vault: fields }: Inspection, ways: Ways): Row[] {
  const { fp_id, kind: owner } = ways;
  const sorted = fields.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      byName.compare(familyOf(a), familyOf(b)) ||
      byName.compare(a.identifier, b.identifier),
  );
  return sorted.map((field, index) => {
    const { identifier, mask, type, version, updated_at } = field;
    const before = sorted[index - 1];
    const isFirst = before === undefined || familyOf(before) !== familyOf(field);
    return {
      data: field,
      key: identifier,
      cells: [
        // Every row has the family, for filter and sort. The first row of a family is highlighted.
        { text: shortened(familyOf(field), FAMILY_WIDTH), tone: isFirst ? 'accent' : 'dim' },
        identifier,
        mask,
        { text: type, tone: 'dim' },
        String(version),
        shortTime(updated_at),
      ],
      id: identifier,
      // With an identifier, the command would only show whether it exists.
      command: ways.command('vault', 'get', fp_id),
      call: ways.inspection,
      subject: { kind: 'field', fp_id, owner, identifier, type },
    };
  });
}

/** The alias of an account from a bank link is an id, which the identifier contains too. */
const FAMILY_WIDTH = 16;

const byName = new Intl.Collator('en', { numeric: true });

/** Each card and each account is a family of its own, by its alias. */
function familyOf({ identifier }: Field): string {
  const [family = '', alias = '', third] = identifier.split('.');
  if ((family === 'card' || family === 'bank') && third !== undefined) return `${family}.${alias}`;
  return family;
}

const FAMILIES: readonly string[] = IDENTIFIER_FAMILIES;

function rank({ identifier }: Field): number {
  const at = FAMILIES.indexOf(identifier.split('.', 1)[0] ?? '');
  return at === -1 ? FAMILIES.length : at;
}

export const documents = partOf({
  title: 'Documents',
  columns: [
    { heading: 'DOCUMENT', isId: true, drop: 1 },
    { heading: 'TYPE' },
    { heading: 'SIDE' },
    { heading: 'IMAGE', isId: true, grows: true, atLeast: 30 },
    { heading: 'VERSION', align: 'right', drop: 2 },
    { heading: 'CREATED (UTC)' },
    { heading: 'ONBOARDING', isId: true, drop: 3 },
  ],
  empty: 'No documents',
  changesWith: ['request', 'onboarding'],
  page: (entity, ways) => ({ rows: imageRows(entity, ways) }),
});

function imageRows(entity: Inspection, ways: Ways): Row[] {
  const { fp_id, kind: owner, nouns } = ways;
  const current = new Map(entity.vault.map(({ identifier, version }) => [identifier, version]));
  return entity.documents.flatMap(({ id, document_type, created_at, onboarding_id, images }) =>
    DOCUMENT_SIDES.flatMap((side): Row[] => {
      const image = images[side];
      if (image === undefined) return [];
      // A replaced image is read with the version that stored it.
      const isCurrent = current.get(image.identifier) === image.version;
      const identifier = isCurrent ? image.identifier : `${image.identifier}:${image.version}`;
      return [
        {
          data: { id, document_type, created_at, onboarding_id, side, ...image, is_current: isCurrent },
          key: `${id} ${side}`,
          cells: [
            id,
            document_type,
            side,
            { text: identifier, tone: isCurrent ? 'plain' : 'dim' },
            String(image.version),
            shortTime(created_at),
            onboarding_id === '' ? '-' : onboarding_id,
          ],
          id,
          command: ways.command(nouns, 'documents', fp_id),
          call: ways.get(`/${nouns}/${encodeURIComponent(fp_id)}/documents`),
          subject: { kind: 'field', fp_id, owner, identifier, type: 'file' },
        },
      ];
    }),
  );
}
