import {
  forceUnlockWorkspace,
  lockWorkspace,
  unlockWorkspace,
} from '../../../state/platform/workspaces/locks.ts'
import { ok } from '../../http/declare/operation.ts'
import { optionalMembers, strictText } from '../json-api/attributes.ts'
import { documentOf } from '../json-api/resource.ts'
import { operationsOn, type PlatformContext } from '../operation.ts'
import { findWorkspaceFor } from './scopes.ts'
import { workspaceResource, workspaceShape } from './workspace-resource.ts'

const spec = 'behaviour/platform#workspace-locks'
const onLockableWorkspace = operationsOn('caller', findWorkspaceFor('lock'), spec)
const onAdministered = operationsOn('caller', findWorkspaceFor('admin'), spec)

const actionsPath = '/workspaces/:workspace_id/actions'
const reply = { 200: documentOf(workspaceShape) }

/**
 * Returns the version of the command-line client that sent the request; empty if no header names
 * the version.
 */
function toolVersion({ header }: Pick<PlatformContext<unknown>, 'header'>): string {
  return header('infra-version') ?? header('terraform-version') ?? ''
}

/**
 * Returns whether a command-line client has version 1.10 or later. Such clients retry an unlock
 * after a 400.
 */
function isRecentTool(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.', 2).map(Number)
  return major > 1 || (major === 1 && minor >= 10)
}

export const lockOperations = [
  onLockableWorkspace('POST', `${actionsPath}/lock`, {
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
  onLockableWorkspace('POST', `${actionsPath}/unlock`, {
    id: 'doUnlockWorkspace',
    summary: 'Unlock a workspace that the caller has locked.',
    failures: [400, 409, 503],
    reply,
    run: ({ context }) => {
      const { world, subject, caller } = context
      const client = { retriesOn503: !isRecentTool(toolVersion(context)) }
      const workspace = unlockWorkspace(world, subject, caller, client)
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
