/**
 * Ingress of the vault proxy (contract §3.3): stores the selected values of a target's response in vaults, and replaces
 * them by their names. All values of one response are stored in one write job, or none.
 */
import { Readable } from 'node:stream';
import { UPLOAD_LIMIT_BYTES, VAULT_BODY_LIMIT_BYTES } from '../../../contract/facts/limits.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';
import { ExactNumber, type JsonValue } from '../../../kernel/text/json.ts';
import { canonicalBase64 } from '../../../kernel/text/text.ts';
import type { Database } from '../../../storage/database.ts';
import type { StoredFile } from '../../../vault/files/index.ts';
import {
  describeIdentifier,
  REFUSED,
  Refusal,
  readingOf,
  vaultDataNotValid,
} from '../../../vault/identifiers/index.ts';
import { type TransformBudget, applyTransforms, TransformFailed } from '../../../vault/transforms/index.ts';
import { denial } from '../../../vault/access-entry.ts';
import type { Caller } from '../../api-keys/service/index.ts';
import { findEntity, getEntity, type EntityKind } from '../../entities/service/index.ts';
import { ruleRefused, type IngressRule } from './ingress-rules.ts';
import { selectIngress, type SelectedValue } from './ingress-selection.ts';
import type { Needs } from '../../needs.ts';
import { PROXY_HEADERS } from '../../requests/facts.ts';

export interface IngressNote {
  readonly rule: string;
  /** Whether its path selected a value. */
  readonly matched: boolean;
  readonly stored_as: string | null;
  /** Why nothing was stored. */
  readonly reason: string | null;
}

export interface Ingress {
  readonly body: Buffer;
  /** Numbers of the rules that stored nothing, from 1. */
  readonly skipped: number[];
  readonly notes: IngressNote[];
}

/** Nothing was stored; contains the result of each rule, for explanations. */
export class IngressRefused extends ServiceError {
  readonly notes: IngressNote[];

  constructor({ code, message, context }: ServiceError, notes: IngressNote[]) {
    super(code, message, context && { context: { ...context } });
    this.notes = notes;
  }
}

/**
 * Checks rules before anything is sent. Throws `invalid_request` for an unknown entity or identifier,
 * `permission_denied` without `vault.write`, and `T120` for identifiers that can't be written in that entity. Derived
 * ones can't, except the content type of an image that another rule sets.
 */
export function requireStorable(database: Database, rules: readonly IngressRule[], caller: Caller): void {
  const kinds = new Map<IngressRule, EntityKind>();
  rules.forEach((rule, index) => {
    const entity = findEntity(database, caller, rule.fpId);
    if (!entity) throw invalid(`Header ${PROXY_HEADERS.ingressRule}: entity of rule ${index + 1} is unknown`);
    kinds.set(rule, entity.kind);
    if (!describeIdentifier(rule.identifier)) throw ruleRefused(index + 1, 'its identifier is unknown');
  });
  const identifiers = new Set(rules.map(({ identifier }) => identifier));
  const refusal = denial(caller, 'write', [...identifiers]);
  if (refusal) throw refusal;

  const refusals = new Map<IngressRule, Refusal>();
  for (const [rule, kind] of kinds) {
    const description = describeIdentifier(rule.identifier);
    if (!description?.belongsTo(kind)) refusals.set(rule, REFUSED.FAM);
    else if (description.derived && !imageRuleOf(rule, rules)) refusals.set(rule, REFUSED.DRV);
  }
  if (refusals.size > 0) throw ingressNotValid(rules, refusals);
}

/** The checksum of cards is always checked, since the proxy has no header to skip it (assumed). */
const INGRESS = { skipLuhn: false, source: 'ingress' } as const;

export function createIngress({ queue, vault }: Needs<'queue' | 'vault'>) {
  return {
    /**
     * Stores the selected values of a response, and returns it without them. Without rules the response is unchanged, as
     * it is for a body that is no JSON, if that is empty or the status is 400 and above.
     *
     * Throws IngressRefused, `T120` or `proxy_ingress_failed`, and BudgetSpent, and then stores nothing.
     */
    async apply(
      { status, body }: { readonly status: number; readonly body: Buffer },
      rules: readonly IngressRule[],
      { caller, budget }: { readonly caller: Caller; readonly budget: TransformBudget },
    ): Promise<Ingress> {
      if (rules.length === 0) return { body, skipped: [], notes: [] };
      const selection = selectIngress(body, rules);
      if (!selection) return withoutJson({ status, body }, rules);
      const plan = await planIngress(rules, selection.values, budget);
      if (plan.refusals.size > 0) {
        // Also runs the checks of the vaults, so that all problems are reported at once.
        storeEach(plan, rules, ({ fpId, changes }) => {
          const entity = getEntity(queue.database, caller, fpId);
          vault.validate(queue.database, entity, { changes, ...INGRESS, by: caller });
        });
      }
      if (plan.entities.length > 0) await storeTogether(plan, rules, caller);
      const notes = notesOf(plan, rules);
      const skipped = notes.flatMap(({ stored_as }, index) => (stored_as === null ? [index + 1] : []));
      return { body: selection.rewritten(plan.stored), skipped, notes };
    },
  };

  async function storeTogether(
    plan: IngressPlan,
    rules: readonly IngressRule[],
    caller: Caller,
  ): Promise<void> {
    const sealed = new Map<IngressFile, StoredFile>();
    try {
      for (const file of plan.entities.flatMap(({ files }) => files)) {
        const { contentType, content } = file;
        sealed.set(file, await vault.sealFile({ contentType, content: Readable.from([content]) }));
      }
      await queue.write((database) => {
        storeEach(plan, rules, ({ fpId, changes, files }) => {
          const entity = getEntity(database, caller, fpId);
          const named = files.map((file) => [file.identifier, sealed.get(file) as StoredFile] as const);
          vault.store(database, entity, { changes, files: new Map(named), ...INGRESS, by: caller });
        });
      });
    } catch (error) {
      // After a commit with an unknown outcome a row may reference them; the next start finds out.
      if (!queue.isReadOnly) await vault.discard([...sealed.values()].map(({ blob }) => blob));
      throw error;
    }
  }
}

/** Stores the values of each entity; throws all refusals together, of the plan and of the entities. */
function storeEach(
  plan: IngressPlan,
  rules: readonly IngressRule[],
  store: (values: EntityValues) => void,
): void {
  const refusals = new Map(plan.refusals);
  for (const values of plan.entities) {
    try {
      store(values);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'T120') throw error;
      for (const rule of rules) {
        const reason = rule.fpId === values.fpId ? error.context?.[rule.identifier] : undefined;
        if (reason !== undefined) refusals.set(rule, new Refusal(reason));
      }
    }
  }
  if (refusals.size === 0) return;
  // The caller can't see the withheld value, so the reason says which rule selected what.
  for (const [index, rule] of rules.entries()) {
    const reason = refusals.get(rule)?.reason;
    const kind = plan.kinds[index] ?? 'nothing';
    if (reason !== undefined) refusals.set(rule, new Refusal(`${reason}: rule ${index + 1} selects ${kind}`));
  }
  throw new IngressRefused(ingressNotValid(rules, refusals), notesOf({ ...plan, refusals }, rules));
}

function notesOf(plan: IngressPlan, rules: readonly IngressRule[]): IngressNote[] {
  return rules.map((rule, index) => {
    const reason = whyNotStored(plan, rule, index);
    const stored_as = reason === null ? fullName(rule) : null;
    return { rule: rule.text, matched: plan.selected.has(index), stored_as, reason };
  });
}

function whyNotStored(
  { selected, stored, refusals }: IngressPlan,
  rule: IngressRule,
  index: number,
): string | null {
  if (!selected.has(index)) return 'the path selects nothing, or null';
  if (refusals.size > 0) return refusals.get(rule)?.reason ?? 'another value was refused';
  return stored.has(index) ? null : 'its image is absent';
}

const FIRST_FAILURE_STATUS = 400;

/** A response to which rules can't be applied. */
function withoutJson(
  { status, body }: { status: number; body: Buffer },
  rules: readonly IngressRule[],
): Ingress {
  const isEmpty = body.length === 0;
  const reason = isEmpty ? 'the body is empty' : 'the body is no JSON';
  const notes = rules.map(({ text }) => ({ rule: text, matched: false, stored_as: null, reason }));
  if (isEmpty || status >= FIRST_FAILURE_STATUS) {
    return { body, skipped: rules.map((_, index) => index + 1), notes };
  }
  const failed = new ServiceError(
    'proxy_ingress_failed',
    'The answer of the target is no JSON, which ingress rules need; nothing was stored',
  );
  throw new IngressRefused(failed, notes);
}

// Converts selected values for a vault (contract §3.3, Ingress): text for typed identifiers, JSON for `custom.*` and
// lists, files from base64. Applies transforms first. Checks everything that needs no vault; the vault checks the rest.

/** The values for one entity, in the order of its rules. */
interface EntityValues {
  readonly fpId: string;
  readonly changes: Map<string, JsonValue>;
  readonly files: IngressFile[];
}

interface IngressPlan {
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

/** The rule for the image that belongs to a rule for its content type. */
function imageRuleOf(rule: IngressRule, rules: readonly IngressRule[]): IngressRule | undefined {
  const reading = readingOf(rule.identifier, () => true);
  const image = reading?.contentTypeOf && reading.sources[0];
  if (image === undefined) return undefined;
  return rules.find(
    ({ fpId, identifier }) => fpId === rule.fpId && describeIdentifier(identifier)?.canonical === image,
  );
}

/** `values` by rule, as selected. The identifiers must be known and writable. Throws BudgetSpent. */
async function planIngress(
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
  const images = new Map(rules.map((rule) => [rule, imageRuleOf(rule, rules)]));
  /** The declared content types, by the rules of their images. */
  const contentTypes = new Map([...given].map(([rule, value]) => [images.get(rule), value]));
  rules.forEach((rule, index) => {
    const value = given.get(rule);
    const image = images.get(rule);
    // A content type belongs to its image; without one it is meaningless.
    if (value === undefined || (image && !given.has(image))) return;
    stored.add(index);
    if (image) return;
    const { fpId } = rule;
    const entity: EntityValues = entities.get(fpId) ?? { fpId, changes: new Map(), files: [] };
    entities.set(fpId, entity);
    if (!isFile(rule.identifier)) {
      entity.changes.set(rule.identifier, value);
      return;
    }
    const file = fileFor(rule, value, contentTypes.get(rule));
    if (file instanceof Refusal) refusals.set(rule, file);
    else entity.files.push(file);
  });
  const kinds = values.map((value) => value && kindOf(value));
  const selected = new Set([...kinds.keys()].filter((index) => kinds[index] !== undefined));
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

async function valueFor(
  rule: IngressRule,
  selected: SelectedValue,
  budget: TransformBudget,
): Promise<JsonValue | Refusal> {
  if (!selected.isWellFormed) return new Refusal('holds an unpaired surrogate');
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
function ingressNotValid(rules: readonly IngressRule[], refusals: ReadonlyMap<IngressRule, Refusal>) {
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
function fullName({ fpId, identifier }: IngressRule): string {
  return `${fpId}.${identifier}`;
}

// Files in a response, as base64 text with a content type (contract §1.6, §3.3).

interface IngressFile {
  /** The canonical name. */
  readonly identifier: string;
  readonly contentType: string;
  readonly content: Buffer;
}

const TYPE_LIMIT_CHARACTERS = 255;
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Decodes a file from base64 text: strict, padded, 1 byte to 10 MiB, as in an upload. `declaredType` is the content
 * type in the response, without parameters; without it the first bytes determine the type.
 */
function ingressFile(
  identifier: string,
  text: string,
  declaredType: string | undefined,
): IngressFile | Refusal {
  const content = canonicalBase64(text);
  if (content === undefined) return REFUSED.B64;
  if (content.length > UPLOAD_LIMIT_BYTES) return REFUSED.LEN;
  const description = describeIdentifier(identifier);
  const contentType = declaredType?.trim() ?? recognisedType(content);
  const isMediaType = contentType.length <= TYPE_LIMIT_CHARACTERS && MEDIA_TYPE.test(contentType);
  if (!isMediaType || !description?.acceptsContentType(contentType)) return REFUSED.MIME;
  return { identifier: description.canonical, contentType, content };
}

const WEBP_AT = 8;

/** The type by the magic bytes of each format. */
function recognisedType(content: Buffer): string {
  const begins = (bytes: string, at = 0) => content.toString('latin1', at, at + bytes.length) === bytes;
  if (begins('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (begins('\xff\xd8\xff')) return 'image/jpeg';
  if (begins('GIF87a') || begins('GIF89a')) return 'image/gif';
  if (begins('RIFF') && begins('WEBP', WEBP_AT)) return 'image/webp';
  if (begins('%PDF-')) return 'application/pdf';
  return 'application/octet-stream';
}
