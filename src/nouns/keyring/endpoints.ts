/** The keys that open the vault: versions, slots, rotation (contract §11). */
import { Type } from '@sinclair/typebox';
import { NEW_SLOT_KINDS, SLOT_KINDS } from '../control/facts.ts';
import { control, endpoint } from '../../contract/endpoint.ts';
import { named, Counts, Empty, Nullable, OneOf, Timestamp, strict } from '../../contract/shapes.ts';

const Slot = named(
  'KeySlot',
  Type.Object({
    id: Type.String(),
    kind: OneOf(SLOT_KINDS),
    created_at: Timestamp,
    last_used_at: Nullable(Timestamp),
  }),
);

const Keyring = named(
  'Keyring',
  Type.Object({
    root_key_version: Type.Integer(),
    min_root_key_version: Type.Integer(),
    slots: Type.Array(Slot),
    entities_by_root_key_version: Counts,
  }),
);

export const keyringEndpoints = [
  endpoint('GET /_kyclone/keyring', {
    operationId: 'getKeyring',
    ...control,
    response: Keyring,
    summary: 'Root key versions and the slots that open the vault',
  }),
  endpoint('POST /_kyclone/keyring/rotate', {
    operationId: 'rotateKeyring',
    ...control,
    query: Type.Object({ wait: Type.Optional(Type.Boolean()) }),
    response: Keyring,
    summary: 'Create a new root key version; entity keys are rewrapped in the background',
  }),
  endpoint('POST /_kyclone/keyring/slots', {
    operationId: 'addKeySlot',
    ...control,
    body: named(
      'AddKeySlotRequest',
      Type.Object(
        {
          kind: OneOf(NEW_SLOT_KINDS),
          passphrase: Type.Optional(Type.String({ minLength: 8, maxLength: 1024 })),
          path: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
        },
        strict,
      ),
    ),
    response: named(
      'AddedKeySlot',
      Type.Object({
        ...Slot.properties,
        recovery_code: Type.Optional(Type.String({ description: 'shown only once' })),
      }),
    ),
    errors: ['key_file_refused', 'vault_key_invalid'],
    summary: 'Add a way to open the vault',
  }),
  endpoint('DELETE /_kyclone/keyring/slots/{id}', {
    operationId: 'removeKeySlot',
    ...control,
    response: Empty,
    errors: ['conflict'],
    summary: "Remove a way to open the vault; the last one can't be removed",
  }),
] as const;
