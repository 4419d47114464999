/**
 * Converts selected values for a vault (contract §3.3, Ingress): text for typed identifiers, JSON for `custom.*` and
 * lists, files from base64. Applies transforms first. Checks everything that needs no vault; the vault checks the rest.
 */
import { ExactNumber, type JsonValue } from '../../kernel/json.ts';
import { VAULT_BODY_LIMIT_BYTES } from '../../contract/facts/limits.ts';
import {
  describeIdentifier,
  readingOf,
  REFUSED,
  Refusal,
  vaultDataNotValid,
} from '../../vault/identifiers/index.ts';
import { applyTransforms, TransformFailed, type TransformBudget } from '../../vault/transforms/index.ts';
import { ingressFile, type IngressFile } from './ingress-file.ts';
import type { IngressRule } from './ingress-rules.ts';
import type { SelectedValue } from './ingress-selection.ts';

/** The values for one entity, in the order of its rules. */
export interface EntityValues {
  readonly fpId: string;
  readonly changes: Map<string, JsonValue>;
  readonly files: IngressFile[];
}

export interface IngressPlan {
  readonly entities: readonly EntityValues[];
  /** The rules (from 0) whose paths select a value. */
  readonly selected: ReadonlySet<number>;
  /** The rules (from 0) whose values are stored, if nothing is refused. */
  readonly stored: ReadonlySet<number>;
  readonly refusals: ReadonlyMap<IngressRule, Refusal>;
  /** By rule, the kind of the value that its path selects, in words and without the value. */
  readonly kinds: readonly (string | undefined)[];
}

/** Whether the identifier stores a file from a response. */
function isFile(identifier: string): boolean {
  return describeIdentifier(identifier)?.storage === 'file';
}

/** The image whose content type this identifier is, by its canonical name. */
function imageOf(identifier: string): string | undefined {
  const reading = readingOf(identifier, () => true);
  return reading?.contentTypeOf && reading.sources[0];
}

/** The rule for the image that belongs to a rule for its content type. */
export function imageRuleOf(rule: IngressRule, rules: readonly IngressRule[]): IngressRule | undefined {
  const image = imageOf(rule.identifier);
  if (image === undefined) return undefined;
  return rules.find(
    ({ fpId, identifier }) => fpId === rule.fpId && describeIdentifier(identifier)?.canonical === image,
  );
}

/** `values` by rule, as selected. The identifiers must be known and writable. Throws BudgetSpent. */
export async function planIngress(
  rules: readonly IngressRule[],
  values: readonly (SelectedValue | undefined)[],
  budget: TransformBudget,
): Promise<IngressPlan> {
  const refusals = new Map<IngressRule, Refusal>();
  const given = new Map<IngressRule, JsonValue>();
  for (const [index, rule] of rules.entries()) {
    const selected = values[index];
    if (!selected) continue;
    const value = await valueFor(rule, selected, budget);
    if (value instanceof Refusal) refusals.set(rule, value);
    else given.set(rule, value);
  }

  const entities = new Map<string, EntityValues>();
  const stored = new Set<number>();
  const contentTypes = contentTypesOf(given, rules);
  rules.forEach((rule, index) => {
    const value = given.get(rule);
    const image = imageRuleOf(rule, rules);
    // A content type belongs to its image; without one it is meaningless.
    if (value === undefined || (image && !given.has(image))) return;
    stored.add(index);
    if (image) return;
    const entity: EntityValues = entities.get(rule.fpId) ?? newEntityValues(rule.fpId);
    entities.set(rule.fpId, entity);
    if (!isFile(rule.identifier)) {
      entity.changes.set(rule.identifier, value);
      return;
    }
    const file = fileFor(rule, value, contentTypes.get(rule));
    if (file instanceof Refusal) refusals.set(rule, file);
    else entity.files.push(file);
  });
  const selected = new Set([...rules.keys()].filter((index) => values[index] !== undefined));
  const kinds = values.map((value) => value && kindOf(value));
  return { entities: [...entities.values()], selected, stored, refusals, kinds };
}

function kindOf({ value, text }: SelectedValue): string {
  if (value instanceof ExactNumber) return 'a number';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value !== 'string') return `a ${typeof value}`;
  if (text === '') return 'an empty string';
  if (text.trim() === '') return 'a string of blanks';
  if (/^data:/i.test(text)) return 'a data URI';
  return /[\r\n]/.test(text) ? 'a string with line ends' : 'a string';
}

function newEntityValues(fpId: string): EntityValues {
  return { fpId, changes: new Map(), files: [] };
}

/** The declared content types, by the rules of their images. */
function contentTypesOf(
  given: ReadonlyMap<IngressRule, JsonValue>,
  rules: readonly IngressRule[],
): Map<IngressRule, JsonValue> {
  const types = new Map<IngressRule, JsonValue>();
  for (const [rule, value] of given) {
    const image = imageRuleOf(rule, rules);
    if (image) types.set(image, value);
  }
  return types;
}

async function valueFor(
  rule: IngressRule,
  selected: SelectedValue,
  budget: TransformBudget,
): Promise<JsonValue | Refusal> {
  if (!selected.isWellFormed) return REFUSED.STR;
  const isTransformed = rule.transforms.length > 0;
  const value = isTransformed
    ? await transformed(rule.transforms, selected.text, budget)
    : typedValue(rule, selected);
  const text = isTransformed && typeof value === 'string' ? value : selected.text;
  // More than a JSON write could store.
  const isTooLong = !isFile(rule.identifier) && Buffer.byteLength(text) > VAULT_BODY_LIMIT_BYTES;
  return isTooLong && !(value instanceof Refusal) ? REFUSED.LEN : value;
}

function typedValue({ identifier }: IngressRule, { value, text }: SelectedValue): JsonValue {
  const isText = describeIdentifier(identifier)?.storage === 'text';
  const isCompound = typeof value === 'object' && !(value instanceof ExactNumber);
  return isText && !isCompound ? text : value;
}

async function transformed(
  transforms: IngressRule['transforms'],
  text: string,
  budget: TransformBudget,
): Promise<JsonValue | Refusal> {
  try {
    const result = await applyTransforms(transforms, text, budget);
    return typeof result === 'string' ? result : REFUSED.STR;
  } catch (error) {
    if (error instanceof TransformFailed) return new Refusal(error.message);
    throw error;
  }
}

function fileFor(rule: IngressRule, value: JsonValue, declaredType: JsonValue | undefined) {
  if (typeof value !== 'string') return REFUSED.B64;
  if (declaredType !== undefined && typeof declaredType !== 'string') return REFUSED.MIME;
  return ingressFile(rule.identifier, value, declaredType);
}

/** `T120` with an entry for each refused rule: by identifier, and also by entity if the rules are for several. */
export function ingressNotValid(rules: readonly IngressRule[], refusals: ReadonlyMap<IngressRule, Refusal>) {
  const isForSeveral = new Set(rules.map(({ fpId }) => fpId)).size > 1;
  const named = new Map<string, Refusal>();
  for (const rule of rules) {
    const refusal = refusals.get(rule);
    const name = isForSeveral ? fullName(rule) : rule.identifier;
    if (refusal) named.set(name, refusal);
  }
  return vaultDataNotValid(named);
}

/** The replacement for a stored value in a response. */
export function fullName({ fpId, identifier }: IngressRule): string {
  return `${fpId}.${identifier}`;
}
