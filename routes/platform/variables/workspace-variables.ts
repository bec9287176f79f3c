import { effectiveVariables } from '../../../state/platform/variable-sets/precedence.ts'
import {
  changeVariable,
  createVariable,
  findVariable,
  removeVariable,
  type Variable,
  variablesOf,
} from '../../../state/platform/variables/variables.ts'
import type { RequiredRight } from '../../../state/platform/workspaces/right-levels.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { documentOf, unpagedListOf } from '../json-api/resource.ts'
import { operationsOn, type Scope } from '../operation.ts'
import { findWorkspaceFor } from '../workspaces/scopes.ts'
import {
  ownedVariable,
  ownedVariableShape,
  variableForm,
  variableInputOf,
} from './variable-resource.ts'

/**
 * Returns a function that finds the variable in the path, which must belong to the workspace in the
 * path. The function throws 404 otherwise, or if the caller lacks a right on the workspace.
 */
function findVariableFor(right: RequiredRight): (scope: Scope) => Variable {
  const findWorkspace = findWorkspaceFor(right)
  return (scope) =>
    findVariable(scope.world, findWorkspace(scope).id, scope.params['variable_id'] ?? '')
}

const spec = 'behaviour/platform#workspace-variables'
const onRead = operationsOn('caller', findWorkspaceFor({ variables: 'read' }), spec)
const onWritten = operationsOn('caller', findWorkspaceFor({ variables: 'write' }), spec)
const onReadVariable = operationsOn('caller', findVariableFor({ variables: 'read' }), spec)
const onWrittenVariable = operationsOn('caller', findVariableFor({ variables: 'write' }), spec)

const listPath = '/workspaces/:workspace_id/vars'
const onePath = `${listPath}/:variable_id` as const
const document = documentOf(ownedVariableShape)

/** Operations on the variables of workspaces. */
export const workspaceVariableOperations = [
  onWritten('POST', listPath, {
    id: 'createWorkspaceVariable',
    summary: 'Add a variable to a workspace.',
    body: variableForm,
    reply: { 201: document },
    run: ({ context, body }) => {
      const { world, subject } = context
      const variable = createVariable(world, subject.id, variableInputOf(body(), context))
      return answer(201, { data: ownedVariable(variable, context) })
    },
  }),
  onRead('GET', listPath, {
    id: 'readWorkspaceVariables',
    summary: 'List the variables of a workspace, oldest first and all at once.',
    reply: { 200: unpagedListOf(ownedVariableShape) },
    run: ({ context }) => {
      const variables = variablesOf(context.world, context.subject.id)
      return ok({ data: variables.map((one) => ownedVariable(one, context)) })
    },
  }),
  onRead('GET', '/workspaces/:workspace_id/all-vars', {
    id: 'readAllWorkspaceVariables',
    summary: 'List the variables that runs of a workspace have, with those of variable sets.',
    spec: 'behaviour/platform#variable-precedence',
    reply: { 200: unpagedListOf(ownedVariableShape) },
    run: ({ context }) => {
      const variables = effectiveVariables(context.world, context.subject)
      return ok({ data: variables.map((one) => ownedVariable(one, context)) })
    },
  }),
  onReadVariable('GET', onePath, {
    id: 'readWorkspaceVariable',
    summary: 'Read a variable of a workspace.',
    reply: { 200: document },
    run: ({ context }) => ok({ data: ownedVariable(context.subject, context) }),
  }),
  onWrittenVariable('PATCH', onePath, {
    id: 'changeWorkspaceVariable',
    summary: 'Change what is named of a variable of a workspace.',
    body: variableForm,
    reply: { 200: document },
    run: ({ context, body }) => {
      const { world, subject } = context
      const variable = changeVariable(world, subject, variableInputOf(body(), context))
      return ok({ data: ownedVariable(variable, context) })
    },
  }),
  onWrittenVariable('DELETE', onePath, {
    id: 'deleteWorkspaceVariable',
    summary: 'Delete a variable of a workspace.',
    reply: { 204: null },
    run: ({ context: { world, subject } }) => removeVariable(world, subject),
  }),
]
