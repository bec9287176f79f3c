import type { VariableSetInput } from '../../../state/platform/variable-sets/changes.ts'
import { optionalMembers, strictFlag, strictText } from '../json-api/attributes.ts'
import { identifiersIn, relatedId, relatedItems } from '../json-api/body.ts'
import type { BodyForm, ParsedBody, PlatformContext } from '../operation.ts'
import { relatedVariables } from '../variables/variable-resource.ts'
import { variableSetType } from './variable-set-resource.ts'

const attributes = optionalMembers({
  name: strictText,
  description: strictText,
  global: strictFlag,
  priority: strictFlag,
})

/** Body of requests that create or change a variable set. */
export const variableSetForm: BodyForm<typeof attributes> = { type: variableSetType, attributes }

type InputContext = Pick<PlatformContext<unknown>, 'dialect'>
type Relationships = ParsedBody<typeof attributes>['relationships']

/** Returns the input for a variable set of an organization. */
export function variableSetInputOf(
  { attributes: sent, relationships }: ParsedBody<typeof attributes>,
  organization: string,
  context: InputContext,
): VariableSetInput {
  const owner = relatedId(relationships, 'parent')
  const variables = relatedVariables(relationships, context)
  return {
    ...sent,
    ...(owner === undefined ? {} : { project: owner === organization ? null : owner }),
    ...(variables === undefined ? {} : { variables }),
    ...relatedIds(relationships, 'workspaces'),
    ...relatedIds(relationships, 'projects'),
  }
}

/** Returns the ids in a relationship as a member of the input, if the relationship was sent. */
function relatedIds(relationships: Relationships, type: 'workspaces' | 'projects') {
  const items = relatedItems(relationships, type)
  return items === undefined ? {} : { [type]: identifiersIn(items, type) }
}
