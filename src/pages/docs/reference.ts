/** Data of the docs page besides the OpenAPI document; the instance generates it from its code. */
import type { JsonValue } from '../../kernel/text/json.ts';

export interface DocsReference {
  readonly identifiers: readonly DocsIdentifier[];
  /** The values of `<kind>`. */
  readonly documentKinds: readonly string[];
  readonly transforms: readonly DocsTransform[];
  readonly events: readonly DocsEvent[];
  readonly reasonCodes: readonly DocsReasonCode[];
  /** The prefix of the three headers of a delivery: `webhook`, or that of another style. */
  readonly webhookHeaderPrefix: string;
}

export interface DocsIdentifier {
  /** With `<alias>`, `<kind>` and `<name>` for words that the caller chooses. */
  readonly identifier: string;
  readonly family: string;
  readonly vaults: readonly string[];
  readonly rule: string;
  readonly mask: string;
  readonly example: JsonValue;
  readonly masked: string;
  readonly searchable: boolean;
  readonly derived: boolean;
  readonly derived_from: readonly string[];
}

export interface DocsTransform {
  readonly name: string;
  readonly form: string;
  readonly description: string;
  readonly example: string;
  readonly input: string | null;
  readonly output: string | null;
}

export interface DocsEvent {
  readonly kind: string;
  /** With the prefix used in bodies. */
  readonly full_kind: string;
  readonly summary: string;
  readonly by_default: boolean;
  readonly body: Readonly<Record<string, JsonValue>>;
}

export interface DocsReasonCode {
  readonly reason_code: string;
  readonly note: string;
  readonly description: string;
  readonly severity: string;
  readonly scopes: readonly string[];
}
