import { struct } from '../../../state/kernel/shape/members.ts'
import {
  type NoCodeModule,
  noCodeAttributes,
  optionAttributes,
  type VariableOption,
} from '../../../state/platform/no-code/no-code-modules.ts'
import { attributeRenderer } from '../json-api/attributes.ts'
import {
  linkedRelation,
  linkedRelationOf,
  type Resource,
  relationOf,
  relationsOf,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'

export const noCodeType = 'no-code-modules'
export const optionType = 'variable-options'

const moduleType = 'registry-modules'
const renderer = attributeRenderer(noCodeAttributes)

/** Shape of a no-code module in replies (behaviour/platform#no-code-modules). */
export const noCodeShape = resourceShape(noCodeType, renderer.shape, {
  relationships: struct({
    organization: linkedRelationOf('organizations'),
    'registry-module': linkedRelationOf(moduleType),
    [optionType]: relationsOf(optionType),
  }),
  links: selfLink,
})

export function noCodeResource(noCode: NoCodeModule): Resource {
  const { id, organization, module, variable_options: options } = noCode
  return {
    id,
    type: noCodeType,
    attributes: renderer.render(noCode),
    relationships: {
      organization: linkedRelation('organizations', organization),
      'registry-module': linkedRelation(moduleType, module),
      [optionType]: { data: options.map((one) => ({ id: one.id, type: optionType })) },
    },
    links: { self: `/api/v2/${noCodeType}/${id}` },
  }
}

const optionRenderer = attributeRenderer(optionAttributes)
const ownerType = 'no-code-allowed-modules'

export const optionResourceShape = resourceShape(optionType, optionRenderer.shape, {
  relationships: struct({ 'no-code-allowed-module': relationOf(ownerType) }),
})

export function optionResource({ id: owner }: NoCodeModule, option: VariableOption): Resource {
  return {
    id: option.id,
    type: optionType,
    attributes: optionRenderer.render(option),
    relationships: { 'no-code-allowed-module': { data: { id: owner, type: ownerType } } },
  }
}
