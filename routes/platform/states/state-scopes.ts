import { checkOwner } from '../../../state/platform/accounts/callers.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import {
  outputWithId,
  type StateVersion,
  type StateVersionOutput,
  stateVersionWithId,
} from '../../../state/platform/states/state-versions.ts'
import type { RequiredRight } from '../../../state/platform/workspaces/right-levels.ts'
import { checkRightOn } from '../../../state/platform/workspaces/rights.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import type { Scope } from '../operation.ts'
import { checkMember } from '../organizations/scopes.ts'

function checkStateRight(
  { world, caller }: Scope,
  version: StateVersion,
  right: RequiredRight,
): StateVersion {
  const workspace = requireFound(workspaceWithId(world, version.workspace))
  checkMember(world, caller, workspace.organization)
  checkRightOn(world, caller, workspace, right)
  return version
}

/**
 * Returns a function that finds the state version in the path. The function throws 404 if the files
 * of the version are deleted or the caller lacks the given right on its workspace. The function
 * throws 401 if the organization does not accept the caller's kind of token.
 */
export function findStateVersionFor(right: RequiredRight): (scope: Scope) => StateVersion {
  return (scope) => {
    const found = stateVersionWithId(scope.world, scope.params['state_version_id'] ?? '')
    const version = requireFound(found)
    if (version.status.startsWith('backing_data')) throw refuse('not-found')
    return checkStateRight(scope, version, right)
  }
}

/**
 * Finds the state version in the path, even if its files are deleted. Throws 404 unless the caller
 * is an owner, and 401 if the organization does not accept the caller's kind of token.
 */
export function findOwnedStateVersion({ world, caller, params }: Scope): StateVersion {
  const version = requireFound(stateVersionWithId(world, params['state_version_id'] ?? ''))
  const workspace = requireFound(workspaceWithId(world, version.workspace))
  checkOwner(world, caller, workspace.organization)
  return version
}

/**
 * Finds the output in the path. Throws 404 if the files of the state version are deleted, or if the
 * caller may not read the output's value. Throws 401 if the organization does not accept the
 * caller's kind of token. The value of a sensitive output requires the right to read the state.
 */
export function findOutput(scope: Scope): StateVersionOutput {
  const found = outputWithId(scope.world, scope.params['output_id'] ?? '')
  const output = requireFound(found)
  const version = requireFound(stateVersionWithId(scope.world, output.version))
  if (version.status.startsWith('backing_data')) throw refuse('not-found')
  checkStateRight(scope, version, { state: output.sensitive ? 'read' : 'read-outputs' })
  return output
}
