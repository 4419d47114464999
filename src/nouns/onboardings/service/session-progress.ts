/** The data entered in an open hosted flow (contract §14), stored sealed with the session. */
import type { AUTH_KINDS } from '../../hosted/facts.ts';
import type { SessionStep } from '../facts.ts';
import type { DocumentKind, DocumentSide } from '../../vault/facts.ts';
import type { JsonValue } from '../../../kernel/json.ts';

export interface GivenOwner {
  readonly first_name?: string;
  readonly last_name?: string;
  readonly email?: string;
  readonly phone_number?: string;
  /** Per cent. */
  readonly ownership_stake: number;
}

export interface SessionProgress {
  readonly step: SessionStep;
  readonly wrongCodes: number;
  /** The target of the one-time code, as typed; undefined when it comes from the user's vault. */
  readonly contact?: {
    readonly identifier: 'id.email' | 'id.phone_number';
    readonly value: string;
  };
  readonly verifiedBy?: (typeof AUTH_KINDS)[number];
  /** The user recognised by the verified contact. */
  readonly fp_id?: string;
  /** By identifier; null for bootstrap data that was removed. */
  readonly data: Readonly<Record<string, JsonValue>>;
  /** Names of the screens that were sent. */
  readonly screens: readonly string[];
  readonly owners?: { readonly primary_stake: number; readonly others: readonly GivenOwner[] };
  readonly document?: {
    readonly kind: DocumentKind;
    readonly country: string;
    /** Descriptors of sealed files, including their keys, in base64. */
    readonly files: Readonly<Partial<Record<DocumentSide, string>>>;
  };
  readonly bank?: {
    readonly institution: string;
    readonly persona: string | null;
    /** Keys of the persona's accounts. */
    readonly accounts: readonly string[] | null;
    /** Whether the page of the bank alone has ended with an intent. */
    readonly isAgreed?: true;
  };
  readonly hasConsented?: true;
}

export const NO_PROGRESS: SessionProgress = { step: 'identify', wrongCodes: 0, data: {}, screens: [] };
