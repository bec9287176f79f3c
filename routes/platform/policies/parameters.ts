import { union } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import {
  changeVariable,
  createVariable,
  type Variable,
  variablesOf,
} from '../../../state/platform/variables/variables.ts'
import { ok } from '../../http/declare/operation.ts'
import { pageOrAll } from '../json-api/pagination.ts'
import { toOne } from '../json-api/relations.ts'
import {
  listOf,
  type Resource,
  relationOf,
  resourceShape,
  selfLink,
  unpagedListOf,
} from '../json-api/resource.ts'
import { operationsOn } from '../operation.ts'
import { ownedVariableOperations } from '../variables/owned-variables.ts'
import { renderVariable, variableShape, variableType } from '../variables/variable-resource.ts'
import { findManagedSet, findReadableSet } from './policy-sets.ts'

const shape = resourceShape(variableType, variableShape, {
  relationships: struct({ configurable: relationOf('policy-sets') }),
  links: selfLink,
})

function resourceOf(parameter: Variable): Resource {
  const { id, module: set } = parameter
  return {
    id,
    type: variableType,
    attributes: renderVariable(parameter),
    relationships: { configurable: toOne('policy-sets', set) },
    links: { self: `/api/v2/policy-sets/${set}/parameters/${id}` },
  }
}

const spec = 'behaviour/platform#policy-sets; behaviour/platform#variables'
const rendering = { shape, render: resourceOf }

const onReadableSet = operationsOn('caller', findReadableSet, spec)
const listPath = '/policy-sets/:policy_set_id/parameters'

export const policySetParameterOperations = [
  onReadableSet('GET', listPath, {
    id: 'listPolicySetParameters',
    summary: 'List the parameters of a policy set; paginated only if the query asks for a page.',
    reply: { 200: union(unpagedListOf(shape), listOf(shape)) },
    run: ({ context: { world, subject, address } }) =>
      ok(pageOrAll(variablesOf(world, subject.id), resourceOf, address)),
  }),
  ...ownedVariableOperations({
    path: listPath,
    name: 'PolicySetParameter',
    nouns: ['a parameter', 'a policy set'],
    spec,
    findReadable: findReadableSet,
    findWritable: findManagedSet,
    create: (world, { id }, input) => createVariable(world, id, input),
    change: (world, _set, parameter, input) => changeVariable(world, parameter, input),
    rendering,
  }),
]
