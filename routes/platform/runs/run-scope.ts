import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Caller } from '../../../state/platform/accounts/callers.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import { type Run, runWithId, runWithPart } from '../../../state/platform/runs/runs.ts'
import type { RequiredRight } from '../../../state/platform/workspaces/right-levels.ts'
import { checkRightOn } from '../../../state/platform/workspaces/rights.ts'
import { type Workspace, workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import type { Scope } from '../operation.ts'
import { checkMember } from '../organizations/scopes.ts'

/**
 * Returns a workspace by its id. Throws 404 unless the caller has the given right on the workspace,
 * and 401 if the organization does not accept the caller's kind of token.
 */
export function requireWorkspace(
  { world, caller }: { readonly world: World; readonly caller: Caller },
  id: string,
  right: RequiredRight,
): Workspace {
  const workspace = requireFound(workspaceWithId(world, id))
  checkMember(world, caller, workspace.organization)
  checkRightOn(world, caller, workspace, right)
  return workspace
}

/**
 * Returns a function that finds the run with the id in the path. The function throws 404 for an
 * unknown run. The function also throws the refusals of `requireWorkspace`.
 */
export function findRunFor(right: RequiredRight): (scope: Scope) => Run {
  return (scope) => {
    const run = requireFound(runWithId(scope.world, scope.params['run_id'] ?? ''))
    requireWorkspace(scope, run.workspace, right)
    return run
  }
}

/**
 * Returns a function that finds the run whose plan or apply has the id in the path. The function
 * throws 404 for an unknown id. The function also throws the refusals of `requireWorkspace`.
 */
export function findRunOfPart(kind: 'plan' | 'apply', right: RequiredRight): (scope: Scope) => Run {
  return (scope) => {
    const run = requireFound(runWithPart(scope.world, scope.params[`${kind}_id`] ?? ''))
    requireWorkspace(scope, run.workspace, right)
    return run
  }
}
