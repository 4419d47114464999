/** All actions, by name. */
import type { ActionName } from '../state/model.ts';
import type { ActionDefinition } from './definition.ts';
import { reveal } from './reveal.ts';
import { compare } from './compare.ts';
import { note, remove } from './note.ts';
import { review } from './review.ts';
import { label, tag } from './mark.ts';
import { verify } from './verify.ts';
import { save } from './save.ts';
import { resend } from './resend.ts';
import { trigger } from './trigger.ts';
import { onboard } from './onboard.ts';
import { decide } from './decide.ts';

export const actions: Readonly<Record<ActionName, ActionDefinition>> = {
  reveal,
  save,
  verify,
  compare,
  resend,
  trigger,
  onboard,
  decide,
  review,
  note,
  remove,
  label,
  tag,
};
