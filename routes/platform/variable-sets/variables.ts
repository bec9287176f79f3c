import {
  addVariableToSet,
  changeVariableOfSet,
} from '../../../state/platform/variable-sets/changes.ts'
import type { VariableSet } from '../../../state/platform/variable-sets/variable-sets.ts'
import {
  findVariable,
  removeVariable,
  type Variable,
  variablesOf,
} from '../../../state/platform/variables/variables.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { pageOf } from '../json-api/pagination.ts'
import { documentOf, listOf } from '../json-api/resource.ts'
import { operationsOn, type Scope } from '../operation.ts'
import {
  ownedVariable,
  ownedVariableShape,
  variableForm,
  variableInputOf,
} from '../variables/variable-resource.ts'
import { findManagedVariableSet, findVariableSet } from './scopes.ts'

/** A variable in the path, with its set. */
interface SetVariable {
  readonly set: VariableSet
  readonly variable: Variable
}

/** Returns a function that finds a variable in its set. The function throws 404 if there is none. */
function findIn(findSet: (scope: Scope) => VariableSet): (scope: Scope) => SetVariable {
  return (scope) => {
    const set = findSet(scope)
    return { set, variable: findVariable(scope.world, set.id, scope.params['variable_id'] ?? '') }
  }
}

const spec = 'behaviour/platform#variable-sets; behaviour/platform#workspace-variables'
const onSet = operationsOn('caller', findVariableSet, spec)
const onManagedSet = operationsOn('caller', findManagedVariableSet, spec)
const onVariable = operationsOn('caller', findIn(findVariableSet), spec)
const onManagedVariable = operationsOn('caller', findIn(findManagedVariableSet), spec)

const listPath = '/varsets/:variable_set_id/relationships/vars'
const onePath = `${listPath}/:variable_id` as const
const document = documentOf(ownedVariableShape)

/** Operations on the variables of variable sets. */
export const variableSetVariableOperations = [
  onSet('GET', listPath, {
    id: 'listVariableSetVariables',
    summary: 'List the variables of a set, oldest first.',
    reply: { 200: listOf(ownedVariableShape) },
    run: ({ context }) => {
      const variables = variablesOf(context.world, context.subject.id)
      return ok(pageOf(variables, (one) => ownedVariable(one, context), context.address))
    },
  }),
  onManagedSet('POST', listPath, {
    id: 'createVariableSetVariable',
    summary: 'Add a variable to a set.',
    body: variableForm,
    reply: { 201: document },
    run: ({ context, body }) => {
      const { world, subject } = context
      const variable = addVariableToSet(world, subject, variableInputOf(body(), context))
      return answer(201, { data: ownedVariable(variable, context) })
    },
  }),
  onVariable('GET', onePath, {
    id: 'readVariableSetVariable',
    summary: 'Read a variable of a set.',
    reply: { 200: document },
    run: ({ context }) => ok({ data: ownedVariable(context.subject.variable, context) }),
  }),
  onManagedVariable('PATCH', onePath, {
    id: 'changeVariableSetVariable',
    summary: 'Change what is named of a variable of a set.',
    body: variableForm,
    reply: { 200: document },
    run: ({ context, body }) => {
      const { world, subject } = context
      const input = variableInputOf(body(), context)
      const variable = changeVariableOfSet(world, subject.set, subject.variable, input)
      return ok({ data: ownedVariable(variable, context) })
    },
  }),
  onManagedVariable('DELETE', onePath, {
    id: 'deleteVariableSetVariable',
    summary: 'Delete a variable of a set.',
    reply: { 204: null },
    run: ({ context: { world, subject } }) => removeVariable(world, subject.variable),
  }),
]
