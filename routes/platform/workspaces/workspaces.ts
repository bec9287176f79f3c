import { refuse } from '../../../state/platform/messages.ts'
import type { Organization } from '../../../state/platform/organizations/organizations.ts'
import {
  changeWorkspace,
  createWorkspace,
  deleteWorkspace,
  safeDeleteWorkspace,
} from '../../../state/platform/workspaces/changes.ts'
import {
  mayCreateWorkspaceSomewhere,
  mayForceDelete,
  visibleWorkspaces,
} from '../../../state/platform/workspaces/rights.ts'
import type { Workspace } from '../../../state/platform/workspaces/workspaces.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { openQuery } from '../json-api/attributes.ts'
import { pageOf } from '../json-api/pagination.ts'
import { documentOf, listOf, withExtraFields } from '../json-api/resource.ts'
import { operationsOn, type Scope } from '../operation.ts'
import { findOrganization } from '../organizations/scopes.ts'
import { findNamedWorkspaceFor, findWorkspaceFor } from './scopes.ts'
import { workspaceInclusions } from './workspace-inclusions.ts'
import { workspaceInput, workspaceInputAttributes } from './workspace-input.ts'
import { selectWorkspaces, workspaceQuery } from './workspace-query.ts'
import { workspaceResource, workspaceShape, workspaceType } from './workspace-resource.ts'

const spec = 'behaviour/platform#workspaces'

/**
 * Returns the organization in the path. Throws 404 unless the caller may add workspaces to it, and
 * 401 if the organization does not accept the caller's kind of token.
 */
function findOrganizationForNew(scope: Scope): Organization {
  const organization = findOrganization(scope)
  const { world, caller } = scope
  if (!mayCreateWorkspaceSomewhere(world, caller, organization.name)) throw refuse('not-found')
  return organization
}

const document = documentOf(workspaceShape)
const listPath = '/organizations/:organization_name/workspaces'
const onOrganization = operationsOn('caller', findOrganization, spec)
const onOrganizationForNew = operationsOn('caller', findOrganizationForNew, spec)

const collectionOperations = [
  onOrganization('GET', listPath, {
    id: 'listWorkspaces',
    summary:
      'List the workspaces of an organization that the caller sees, by name unless the query asks for another order.',
    query: workspaceQuery,
    spec: 'behaviour/platform#workspace-list',
    failures: [400],
    reply: { 200: withExtraFields(listOf(workspaceShape), workspaceInclusions.shape) },
    run: ({ context, query: filters }) => {
      const { world, caller, subject, address } = context
      const included = workspaceInclusions.read(filters.include, context)
      const all = visibleWorkspaces(world, caller, subject.name)
      const matching = selectWorkspaces(world, all, filters, address)
      const resourceOf = (one: Workspace) => included.add(one, workspaceResource(one, context))
      return ok({ ...pageOf(matching, resourceOf, address), ...included.members() })
    },
  }),
  onOrganizationForNew('POST', listPath, {
    id: 'createWorkspace',
    summary: 'Add a workspace to an organization.',
    body: { type: workspaceType, attributes: workspaceInputAttributes },
    reply: { 201: document },
    run: ({ context, body }) => {
      const { world, caller, subject } = context
      const input = workspaceInput(body(), context)
      const workspace = createWorkspace(world, caller, subject.name, input)
      return answer(201, { data: workspaceResource(workspace, context) })
    },
  }),
]

/** Operations on one workspace, for paths with its name and for paths with its id. */
const workspaceOperationsByName = (
  [
    ['Named', `${listPath}/:name`, findNamedWorkspaceFor],
    ['', '/workspaces/:workspace_id', findWorkspaceFor],
  ] as const
).flatMap(([nameInfix, path, find]) => {
  const onVisibleWorkspace = operationsOn('caller', find('visible'), spec)
  const onChangeableWorkspace = operationsOn('caller', find('settings'), spec)
  const onDeleted = operationsOn('caller', find('delete'), 'behaviour/platform#workspace-deletion')
  const by = nameInfix === '' ? 'its id' : 'its name'
  return [
    onVisibleWorkspace('GET', path, {
      id: `read${nameInfix}Workspace`,
      summary: `Read a workspace by ${by}.`,
      query: openQuery(workspaceInclusions.query),
      failures: [400],
      reply: { 200: withExtraFields(document, workspaceInclusions.shape) },
      run: ({ context, query: { include } }) => {
        return ok(
          workspaceInclusions.document(
            include,
            context,
            context.subject,
            workspaceResource(context.subject, context),
          ),
        )
      },
    }),
    onChangeableWorkspace('PATCH', path, {
      id: `change${nameInfix}Workspace`,
      summary: `Change the given attributes of a workspace, found by ${by}.`,
      body: { type: workspaceType, attributes: workspaceInputAttributes },
      reply: { 200: document },
      run: ({ context, body }) => {
        const input = workspaceInput(body(), context)
        const { world, caller, subject } = context
        const workspace = changeWorkspace(world, caller, subject, input)
        return ok({ data: workspaceResource(workspace, context) })
      },
    }),
    onDeleted('DELETE', path, {
      id: `delete${nameInfix}Workspace`,
      summary: `Delete a workspace, found by ${by}.`,
      failures: [403],
      run: ({ context: { world, caller, subject } }) => {
        if (!mayForceDelete(world, caller, subject)) throw refuse('force-delete-denied')
        deleteWorkspace(world, subject)
      },
    }),
    onDeleted('POST', `${path}/actions/safe-delete`, {
      id: `safeDelete${nameInfix}Workspace`,
      summary: `Delete a workspace that is not locked and manages nothing, found by ${by}.`,
      failures: [409],
      run: ({ context: { world, subject } }) => safeDeleteWorkspace(world, subject),
    }),
  ]
})

export const workspaceOperations = [...collectionOperations, ...workspaceOperationsByName]
