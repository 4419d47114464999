/** All actions, by name. A noun whose screen and actions fit in one file has it in nouns/. */
import type { ActionName } from '../state/model.ts';
import type { ActionDefinition } from './definition.ts';
import { reveal, browse, save } from '../../nouns/vault/screen.ts';
import { compare, note, remove, claim, ask, review, decide } from '../../nouns/entities/screen/cases.ts';
import { label, tag, verify, onboard } from '../../nouns/entities/screen/actions.ts';
import { resend, trigger } from '../../nouns/webhooks/screen/events.ts';
import { clock_advance, clock_freeze, clock_resume } from '../../nouns/clock/screen.ts';
import { fault_create, fault_delete } from '../../nouns/faults/screen.ts';
import { key_create, key_delete, key_roll } from '../../nouns/api-keys/screen.ts';
import { outcome_create, outcome_delete } from '../../nouns/outcomes/screen.ts';
import { snapshot_create, snapshot_delete, snapshot_load } from '../../nouns/snapshots/screen.ts';
import {
  webhook_create,
  webhook_delete,
  webhook_switch,
  webhook_test,
} from '../../nouns/webhooks/screen/endpoints.ts';

export const actions: Readonly<Record<ActionName, ActionDefinition>> = {
  reveal,
  save,
  browse,
  verify,
  compare,
  resend,
  trigger,
  onboard,
  decide,
  review,
  claim,
  note,
  ask,
  remove,
  label,
  tag,
  clock_advance,
  clock_freeze,
  clock_resume,
  fault_create,
  fault_delete,
  snapshot_create,
  snapshot_load,
  snapshot_delete,
  webhook_create,
  webhook_switch,
  webhook_test,
  webhook_delete,
  outcome_create,
  outcome_delete,
  key_create,
  key_roll,
  key_delete,
};
