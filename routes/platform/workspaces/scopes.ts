import { requireFound } from '../../../state/platform/messages.ts'
import type { RequiredRight } from '../../../state/platform/workspaces/right-levels.ts'
import { checkRightOn } from '../../../state/platform/workspaces/rights.ts'
import {
  type Workspace,
  workspaceNamed,
  workspaceWithId,
} from '../../../state/platform/workspaces/workspaces.ts'
import type { Scope } from '../operation.ts'
import { checkMember, findOrganization } from '../organizations/scopes.ts'

/**
 * Returns a function that finds the workspace with the id in the path. The function throws 404
 * unless the caller has the given right on the workspace, and 401 if the organization does not
 * accept the caller's kind of token.
 */
export function findWorkspaceFor(right: RequiredRight): (scope: Scope) => Workspace {
  return ({ world, caller, params }) => {
    const workspace = requireFound(workspaceWithId(world, params['workspace_id'] ?? ''))
    checkMember(world, caller, workspace.organization)
    checkRightOn(world, caller, workspace, right)
    return workspace
  }
}

/**
 * Returns a function that finds the workspace with the organization and name in the path. The
 * function throws 404 unless the caller has the given right on the workspace, and 401 if the
 * organization does not accept the caller's kind of token.
 */
export function findNamedWorkspaceFor(right: RequiredRight): (scope: Scope) => Workspace {
  return (scope) => {
    const { world, caller, params } = scope
    const { name: organization } = findOrganization(scope)
    const workspace = requireFound(workspaceNamed(world, organization, params['name'] ?? ''))
    checkRightOn(world, caller, workspace, right)
    return workspace
  }
}
