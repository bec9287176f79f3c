import { isObject } from '../../../state/kernel/objects.ts'
import { text } from '../../../state/kernel/shape/kinds.ts'
import { isMember } from '../../../state/platform/accounts/callers.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import { organizations } from '../../../state/platform/organizations/organizations.ts'
import {
  changeVariable,
  createVariable,
  removeVariable,
  type Variable,
  variablesOf,
  variableWithId,
} from '../../../state/platform/variables/variables.ts'
import { checkRightOn, hasWorkspaceRight } from '../../../state/platform/workspaces/rights.ts'
import {
  type Workspace,
  workspaceNamed,
  workspacesOf,
  workspaceWithId,
} from '../../../state/platform/workspaces/workspaces.ts'
import { ok } from '../../http/declare/operation.ts'
import { openQuery } from '../json-api/attributes.ts'
import { relatedId } from '../json-api/body.ts'
import { unpagedListOf } from '../json-api/resource.ts'
import { operationsOn, type PlatformContext, type Scope } from '../operation.ts'
import { checkMember } from '../organizations/scopes.ts'
import { variableRendering } from './owned-variables.ts'
import {
  deprecatedForm,
  ownedVariable,
  ownedVariableShape,
  variableForm,
  variableInputOf,
} from './variable-resource.ts'

type Reader = Pick<PlatformContext<unknown>, 'world' | 'caller'>

/**
 * Returns the workspace `found`. Throws 404 if `found` is undefined, or if the caller lacks the
 * right on the variables of the workspace. Throws 401 if the organization does not accept the
 * caller's kind of token.
 */
function requireRight(
  { world, caller }: Reader,
  found: Workspace | undefined,
  right: 'read' | 'write',
): Workspace {
  const workspace = requireFound(found)
  checkMember(world, caller, workspace.organization)
  checkRightOn(world, caller, workspace, { variables: right })
  return workspace
}

/**
 * Returns the workspace variable in the path. Throws 404 for an unknown variable. Also throws the
 * refusals of `requireRight`.
 */
function findWritable(scope: Scope): Variable {
  const variable = requireFound(variableWithId(scope.world, scope.params['variable_id'] ?? ''))
  requireRight(scope, workspaceWithId(scope.world, variable.module), 'write')
  return variable
}

/** Returns `filter[kind].name`; an empty string if the name is missing or not a string. */
function nameIn(filter: unknown, kind: string): string {
  const named = isObject(filter) ? filter[kind] : undefined
  const name = isObject(named) ? named['name'] : undefined
  return typeof name === 'string' ? name : ''
}

/**
 * Returns every workspace that belongs to an organization of the caller and whose variables the
 * caller may read.
 */
function readableWorkspaces({ world, caller }: Reader): Workspace[] {
  const names = Array.from(world.table(organizations).rows(), ({ name }) => name)
  return names
    .filter((name) => isMember(world, caller, name))
    .flatMap((name) => workspacesOf(world, name))
    .filter((workspace) => hasWorkspaceRight(world, caller, workspace, { variables: 'read' }))
}

const spec = 'behaviour/platform#workspace-variables; behaviour/platform#api-versioning'
const onNoSubject = operationsOn('caller', () => undefined, spec)
const onVariable = operationsOn('caller', findWritable, spec)
const onePath = '/vars/:variable_id'

/** Deprecated operations on the variables of workspaces. The paths name no workspace. */
export const deprecatedVariableOperations = [
  onNoSubject.document('POST', '/vars', variableRendering, {
    id: 'createVariableDeprecated',
    summary: 'Deprecated: add a variable to the workspace that the body names.',
    body: deprecatedForm,
    failures: [404],
    run({ context, body }) {
      const { world } = context
      const { attributes, relationships } = body()
      const { filter, ...input } = attributes
      const id = relatedId(relationships, 'workspace')
      const found =
        id === undefined
          ? workspaceNamed(world, nameIn(filter, 'organization'), nameIn(filter, 'workspace'))
          : workspaceWithId(world, id)
      const workspace = requireRight(context, found, 'write')
      return createVariable(world, workspace.id, variableInputOf({ attributes: input }, context))
    },
  }),
  onNoSubject('GET', '/vars', {
    id: 'readVariablesDeprecated',
    summary: 'Deprecated: list the variables of a workspace, or all that the caller may read.',
    query: openQuery({ 'filter[organization][name]': text, 'filter[workspace][name]': text }),
    failures: [400, 404],
    reply: { 200: unpagedListOf(ownedVariableShape) },
    run: ({ context, query }) => {
      const { 'filter[organization][name]': organization, 'filter[workspace][name]': name } = query
      if ((organization === undefined) !== (name === undefined)) throw refuse('filter-incomplete')
      const workspaces =
        organization === undefined || name === undefined
          ? readableWorkspaces(context)
          : [requireRight(context, workspaceNamed(context.world, organization, name), 'read')]
      const variables = workspaces.flatMap(({ id }) => variablesOf(context.world, id))
      return ok({ data: variables.map((one) => ownedVariable(one, context)) })
    },
  }),
  onVariable.document('PATCH', onePath, variableRendering, {
    id: 'changeVariableDeprecated',
    summary: 'Deprecated: change the given attributes of a variable of a workspace.',
    body: variableForm,
    run: ({ context, body }) =>
      changeVariable(context.world, context.subject, variableInputOf(body(), context)),
  }),
  onVariable('DELETE', onePath, {
    id: 'deleteVariableDeprecated',
    summary: 'Deprecated: delete a variable of a workspace.',
    run: ({ context: { world, subject } }) => removeVariable(world, subject),
  }),
]
