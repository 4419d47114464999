/** What a person has given in a hosted flow that is not completed (contract §14). It is kept sealed with the session. */
import type { SessionStep } from '../../contract/facts/onboardings.ts';
import type { DocumentKind, DocumentSide } from '../../contract/facts/vault.ts';
import type { JsonValue } from '../../kernel/json.ts';

export interface GivenOwner {
  readonly first_name?: string;
  readonly last_name?: string;
  readonly email?: string;
  readonly phone_number?: string;
  /** Per cent. */
  readonly ownership_stake: number;
}

export interface Progress {
  /** Where the flow is. */
  readonly step: SessionStep;
  /** Wrong one-time codes so far. */
  readonly wrongCodes: number;
  /** Where the one-time code goes, as it was typed; none for a user whose vault says it. */
  readonly contact?: {
    readonly identifier: 'id.email' | 'id.phone_number';
    readonly value: string;
  };
  readonly verifiedBy?: 'email' | 'sms';
  /** The user who was recognised by the verified contact. */
  readonly fp_id?: string;
  /** By identifier; null: bootstrap data that was taken back. */
  readonly data: Readonly<Record<string, JsonValue>>;
  /** Names of the screens that were sent. */
  readonly screens: readonly string[];
  readonly owners?: { readonly primary_stake: number; readonly others: readonly GivenOwner[] };
  readonly document?: {
    readonly kind: DocumentKind;
    readonly country: string;
    /** Descriptors of sealed files, keys included, in base64. */
    readonly files: Readonly<Partial<Record<DocumentSide, string>>>;
  };
  readonly bank?: {
    readonly institution: string;
    readonly persona: string | null;
    /** Keys of accounts of the persona. */
    readonly accounts: readonly string[] | null;
    /** Whether the page of the bank alone has ended, with an intent. */
    readonly isAgreed?: true;
  };
  readonly hasConsented?: true;
}

export const NO_PROGRESS: Progress = { step: 'identify', wrongCodes: 0, data: {}, screens: [] };
