import { isObject } from '../../../state/kernel/objects.ts'
import { refuse } from '../../../state/platform/messages.ts'
import type {
  VariableInput,
  VariableSetInput,
} from '../../../state/platform/variable-sets/changes.ts'
import {
  hyphenatedMembers,
  optionalMembers,
  readAttributes,
  strictFlag,
  strictText,
} from '../json-api/attributes.ts'
import { identifiersIn, namesType, relatedId, relatedItems } from '../json-api/body.ts'
import type { BodyForm, ParsedBody, PlatformContext } from '../operation.ts'
import { variableInput, variableInputOf, variableType } from '../variables/variable-resource.ts'
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

/** Returns the complete variables in a relationship, if there is one. */
function relatedVariables(
  relationships: Relationships,
  context: InputContext,
): VariableInput[] | undefined {
  return relatedItems(relationships, variableType)?.map((item) => {
    const { type, attributes: sent } = isObject(item) ? hyphenatedMembers(item) : {}
    if (type !== undefined && !namesType(type, variableType, context.dialect)) {
      throw refuse('type-wrong', { type: variableType })
    }
    const members = isObject(sent) ? sent : {}
    const parsed = readAttributes(variableInput, members, context.dialect)
    return variableInputOf({ attributes: parsed }, context)
  })
}
