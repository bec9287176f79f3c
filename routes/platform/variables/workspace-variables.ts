import { effectiveVariables } from '../../../state/platform/variable-sets/precedence.ts'
import {
  changeVariable,
  createVariable,
  variablesOf,
} from '../../../state/platform/variables/variables.ts'
import { ok } from '../../http/declare/operation.ts'
import { unpagedListOf } from '../json-api/resource.ts'
import { operationsOn } from '../operation.ts'
import { findWorkspaceFor } from '../workspaces/scopes.ts'
import { ownedVariableOperations } from './owned-variables.ts'
import { ownedVariable, ownedVariableShape } from './variable-resource.ts'

const spec = 'behaviour/platform#workspace-variables'
const findReadable = findWorkspaceFor({ variables: 'read' })
const onReadableWorkspace = operationsOn('caller', findReadable, spec)
const path = '/workspaces/:workspace_id/vars'

export const workspaceVariableOperations = [
  onReadableWorkspace('GET', path, {
    id: 'readWorkspaceVariables',
    summary: 'List the variables of a workspace, oldest first, without pagination.',
    reply: { 200: unpagedListOf(ownedVariableShape) },
    run: ({ context }) => {
      const variables = variablesOf(context.world, context.subject.id)
      return ok({ data: variables.map((one) => ownedVariable(one, context)) })
    },
  }),
  onReadableWorkspace('GET', '/workspaces/:workspace_id/all-vars', {
    id: 'readAllWorkspaceVariables',
    summary:
      'List the variables of the runs of a workspace, including variables from variable sets.',
    spec: 'behaviour/platform#variable-precedence',
    reply: { 200: unpagedListOf(ownedVariableShape) },
    run: ({ context }) => {
      const variables = effectiveVariables(context.world, context.subject)
      return ok({ data: variables.map((one) => ownedVariable(one, context)) })
    },
  }),
  ...ownedVariableOperations({
    path,
    name: 'WorkspaceVariable',
    nouns: ['a variable', 'a workspace'],
    spec,
    findReadable,
    findWritable: findWorkspaceFor({ variables: 'write' }),
    create: (world, { id }, input) => createVariable(world, id, input),
    change: (world, _workspace, variable, input) => changeVariable(world, variable, input),
  }),
]
