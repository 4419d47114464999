import type { BodyOf } from '../../contract/endpoint.ts';
import type { EndpointKey, Registry } from '../../contract/registry.ts';
import type { EntityRow } from '../entities/index.ts';
import { answer, type Handlers } from '../handlers.ts';
import type { Labels } from './service.ts';

export { createLabels, type Labels, type TagRecord } from './service.ts';

type LabelKeys = Extract<EndpointKey, `${string} /${string}/${'label' | 'tags' | 'tags/{tag_id}'}`>;
type SetLabel = Registry['POST /users/{fp_id}/label'];
type AddTag = Registry['POST /users/{fp_id}/tags'];
type OfEntity<More = unknown> = { readonly entity: EntityRow } & More;

/** For users and businesses. */
export function labelHandlers(labels: Labels): Handlers<LabelKeys> {
  const read = ({ entity }: OfEntity) => answer(labels.label(entity));
  const set = async ({ entity, body }: OfEntity<{ body: BodyOf<SetLabel> }>) => {
    await labels.setLabel(entity, body.kind);
    return answer({});
  };
  const list = ({ entity }: OfEntity) => answer(labels.tags(entity));
  const add = async ({ entity, body }: OfEntity<{ body: BodyOf<AddTag> }>) =>
    answer(await labels.addTag(entity, body.tag));
  const remove = async ({ entity, params }: OfEntity<{ params: { tag_id: string } }>) => {
    await labels.removeTag(entity, params.tag_id);
    return answer({});
  };

  return {
    'GET /users/{fp_id}/label': read,
    'POST /users/{fp_id}/label': set,
    'GET /users/{fp_id}/tags': list,
    'POST /users/{fp_id}/tags': add,
    'DELETE /users/{fp_id}/tags/{tag_id}': remove,
    'GET /businesses/{fp_bid}/label': read,
    'POST /businesses/{fp_bid}/label': set,
    'GET /businesses/{fp_bid}/tags': list,
    'POST /businesses/{fp_bid}/tags': add,
    'DELETE /businesses/{fp_bid}/tags/{tag_id}': remove,
  };
}
