/** The data that a completed flow stores in vaults (contract §14). Pure. */
import type { DocumentSide } from '../../contract/facts/vault.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { decodeFile, type StoredFile } from '../../vault/files/index.ts';
import type { Contact, SessionProgress } from '../onboardings/index.ts';
import { imageOf } from './document-step.ts';
import type { HostedFlow } from './flow.ts';

/** The data to store on completion. */
export function enteredOf(flow: HostedFlow, contact: Contact | undefined) {
  const { progress, playbook, isContactStored, request } = flow;
  const document = progress.document;
  // Somebody who was recognised keeps their own spelling of it.
  const isNewContact = !isContactStored && progress.fp_id === undefined;
  const ofPerson: Record<string, JsonValue> = {
    ...(contact && isNewContact && { [contact.identifier]: contact.value }),
    ...(document && { [`document.${document.kind}.issuing_country`]: document.country }),
  };
  if (request.flow === 'update_auth_methods') return { data: ofPerson };
  if (playbook?.kind === 'kyb' && !flow.asked) return { data: ofPerson, business_data: { ...progress.data } };
  return { data: { ...ofPerson, ...progress.data } };
}

export function filesOf({ document }: SessionProgress): ReadonlyMap<string, StoredFile> {
  const files = Object.entries(document?.files ?? {}) as [DocumentSide, string][];
  return new Map(
    document ? files.map(([side, encoded]) => [imageOf(document.kind, side), fileOf(encoded)]) : [],
  );
}

export function fileOf(encoded: string): StoredFile {
  return decodeFile(Buffer.from(encoded, 'base64'));
}
