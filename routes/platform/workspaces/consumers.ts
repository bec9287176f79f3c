import { refuse } from '../../../state/platform/messages.ts'
import { changeConsumers, consumersOf } from '../../../state/platform/workspaces/consumers.ts'
import { mayCreateWorkspaces } from '../../../state/platform/workspaces/rights.ts'
import type { Workspace } from '../../../state/platform/workspaces/workspaces.ts'
import { identifiersIn } from '../json-api/body.ts'
import { operationsOn, type Scope } from '../operation.ts'
import { findWorkspaceFor } from './scopes.ts'
import { workspaceResource, workspaceShape, workspaceType } from './workspace-resource.ts'

const findChangeable = findWorkspaceFor('settings')

/**
 * Returns the workspace in the path. Throws 404 unless the caller may create workspaces in its
 * organization. Also throws the refusals of `findWorkspaceFor`.
 */
function findManaged(scope: Scope): Workspace {
  const workspace = findChangeable(scope)
  const { world, caller } = scope
  if (!mayCreateWorkspaces(world, caller, workspace.organization)) throw refuse('not-found')
  return workspace
}

const spec = 'behaviour/platform#remote-state-consumers'
const workspaceRendering = { shape: workspaceShape, render: workspaceResource }

const onVisibleWorkspace = operationsOn('caller', findWorkspaceFor('visible'), spec)
const path = '/workspaces/:workspace_id/relationships/remote-state-consumers'

/** Operations on the workspaces that may read the state of another workspace. */
export const consumerOperations = [
  onVisibleWorkspace.page(path, workspaceRendering, {
    id: 'listRemoteStateConsumers',
    summary: 'List the workspaces that may read the state of a workspace.',
    run({ context }) {
      const { world, caller, subject } = context
      return consumersOf(world, caller, subject)
    },
  }),
  ...(
    [
      ['POST', 'add', findChangeable, 'Add workspaces that may read the state of a workspace.'],
      [
        'DELETE',
        'remove',
        findChangeable,
        'Stop workspaces from reading the state of a workspace.',
      ],
      [
        'PATCH',
        'replace',
        findManaged,
        'Replace the list of workspaces that may read the state of a workspace.',
      ],
    ] as const
  ).map(([method, change, find, summary]) =>
    operationsOn('caller', find, spec)(method, path, {
      id: `${change}RemoteStateConsumers`,
      identifiers: workspaceType,
      summary,
      run: ({ context: { world, caller, subject, list } }) =>
        changeConsumers(world, caller, subject, identifiersIn(list(), workspaceType), change),
    }),
  ),
]
