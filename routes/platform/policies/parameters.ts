import { union } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import type { PolicySet } from '../../../state/platform/policies/policy-sets.ts'
import {
  changeVariable,
  createVariable,
  findVariable,
  removeVariable,
  type Variable,
  variablesOf,
} from '../../../state/platform/variables/variables.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { inState } from '../json-api/attributes.ts'
import { pageOrAll } from '../json-api/pagination.ts'
import { toOne } from '../json-api/relations.ts'
import {
  documentOf,
  listOf,
  type Resource,
  relationOf,
  resourceShape,
  selfLink,
  unpagedListOf,
} from '../json-api/resource.ts'
import { operationsOn, type Scope } from '../operation.ts'
import {
  renderVariable,
  variableForm,
  variableShape,
  variableType,
} from '../variables/variable-resource.ts'
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

/** Returns a function that finds a parameter in its set. The function throws 404 if there is none. */
function findIn(find: (scope: Scope) => PolicySet): (scope: Scope) => Variable {
  return (scope) => findVariable(scope.world, find(scope).id, scope.params['variable_id'] ?? '')
}

const spec = 'behaviour/platform#policy-sets; behaviour/platform#variables'
const onSet = operationsOn('caller', findReadableSet, spec)
const onManagedSet = operationsOn('caller', findManagedSet, spec)
const onParameter = operationsOn('caller', findIn(findReadableSet), spec)
const onManagedParameter = operationsOn('caller', findIn(findManagedSet), spec)

const listPath = '/policy-sets/:policy_set_id/parameters'
const onePath = `${listPath}/:variable_id` as const

/** Operations on the parameters of policy sets. */
export const policySetParameterOperations = [
  onSet('GET', listPath, {
    id: 'listPolicySetParameters',
    summary: 'List the parameters of a policy set; in pages only when one is asked for.',
    reply: { 200: union(unpagedListOf(shape), listOf(shape)) },
    run: ({ context: { world, subject, address } }) =>
      ok(pageOrAll(variablesOf(world, subject.id), resourceOf, address)),
  }),
  onManagedSet('POST', listPath, {
    id: 'createPolicySetParameter',
    summary: 'Add a parameter to a policy set.',
    body: variableForm,
    reply: { 201: documentOf(shape) },
    run: ({ context: { world, subject }, body }) => {
      const parameter = createVariable(world, subject.id, inState(body().attributes))
      return answer(201, { data: resourceOf(parameter) })
    },
  }),
  onParameter('GET', onePath, {
    id: 'readPolicySetParameter',
    summary: 'Read a parameter of a policy set.',
    reply: { 200: documentOf(shape) },
    run: ({ context: { subject } }) => ok({ data: resourceOf(subject) }),
  }),
  onManagedParameter('PATCH', onePath, {
    id: 'changePolicySetParameter',
    summary: 'Change what is named of a parameter of a policy set.',
    body: variableForm,
    reply: { 200: documentOf(shape) },
    run: ({ context: { world, subject }, body }) =>
      ok({ data: resourceOf(changeVariable(world, subject, inState(body().attributes))) }),
  }),
  onManagedParameter('DELETE', onePath, {
    id: 'deletePolicySetParameter',
    summary: 'Delete a parameter of a policy set.',
    reply: { 204: null },
    run: ({ context: { world, subject } }) => removeVariable(world, subject),
  }),
]
