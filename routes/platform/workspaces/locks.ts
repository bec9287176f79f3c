import {
  forceUnlockWorkspace,
  lockWorkspace,
  unlockWorkspace,
} from '../../../state/platform/workspaces/locks.ts'
import { ok } from '../../http/declare/operation.ts'
import { optionalMembers, strictText } from '../json-api/attributes.ts'
import { documentOf } from '../json-api/resource.ts'
import { operationsOn } from '../operation.ts'
import { findWorkspaceFor } from './scopes.ts'
import { workspaceResource, workspaceShape } from './workspace-resource.ts'

const spec = 'behaviour/platform#workspace-locks'
const onLocked = operationsOn('caller', findWorkspaceFor('lock'), spec)
const onAdministered = operationsOn('caller', findWorkspaceFor('admin'), spec)

const actionsPath = '/workspaces/:workspace_id/actions'
const reply = { 200: documentOf(workspaceShape) }

/** Operations on the locks of workspaces. */
export const lockOperations = [
  onLocked('POST', `${actionsPath}/lock`, {
    id: 'doLockWorkspace',
    summary: 'Lock a workspace.',
    body: {
      attributes: optionalMembers({ reason: strictText }),
      topLevel: ['reason'],
      dataOptional: true,
    },
    failures: [409],
    reply,
    run: ({ context, body }) => {
      const { world, subject, caller } = context
      const { reason } = body().attributes
      const workspace = lockWorkspace(world, subject, caller, reason ?? '')
      return ok({ data: workspaceResource(workspace, context) })
    },
  }),
  onLocked('POST', `${actionsPath}/unlock`, {
    id: 'doUnlockWorkspace',
    summary: 'Unlock a workspace that the caller has locked.',
    failures: [409],
    reply,
    run: ({ context }) => {
      const { world, subject, caller } = context
      const workspace = unlockWorkspace(world, subject, caller)
      return ok({ data: workspaceResource(workspace, context) })
    },
  }),
  onAdministered('POST', `${actionsPath}/force-unlock`, {
    id: 'doForceUnlockWorkspace',
    summary: 'Unlock a workspace, whoever locked it.',
    failures: [409],
    reply,
    run: ({ context }) => {
      const workspace = forceUnlockWorkspace(context.world, context.subject)
      return ok({ data: workspaceResource(workspace, context) })
    },
  }),
]
