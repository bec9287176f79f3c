import type { World } from '../../kernel/worlds/world.ts'
import type { Caller } from '../accounts/callers.ts'
import { refuse } from '../messages.ts'
import { projectOf } from './execution.ts'
import { hasWorkspaceRight, visibleWorkspaces } from './rights.ts'
import { putWorkspace, type Workspace, workspacesOf, workspaceWithId } from './workspaces.ts'

/**
 * Returns the consumers of a workspace's state that the caller can see. Depending on the settings
 * of the workspace, the consumers are all other workspaces of the organization, all other
 * workspaces of the project, or the workspaces in `remote_state_consumers`
 * (behaviour/platform#remote-state-consumers).
 */
export function consumersOf(world: World, caller: Caller, workspace: Workspace): Workspace[] {
  const { id, organization, remote_state_consumers = [] } = workspace
  const others = visibleWorkspaces(world, caller, organization).filter((one) => one.id !== id)
  if (workspace.global_remote_state) return others
  if (workspace.project_remote_state === true) {
    const project = projectOf(world, workspace)?.id
    return others.filter((one) => projectOf(world, one)?.id === project)
  }
  return others.filter((one) => remote_state_consumers.includes(one.id))
}

/**
 * Adds or removes consumers in the list of a workspace, or replaces the list. Throws 422 if the
 * workspace shares its state with all workspaces, or if `ids` contains the workspace itself. Throws
 * 404 for a consumer that is unknown, in another organization, or hidden from the caller.
 */
export function changeConsumers(
  world: World,
  caller: Caller,
  workspace: Workspace,
  ids: readonly string[],
  change: 'add' | 'remove' | 'replace',
): void {
  const {
    id,
    organization,
    remote_state_consumers: consumerIds = [],
    global_remote_state,
  } = workspace
  if (global_remote_state) throw refuse('consumers-global')
  for (const each of ids) {
    const consumer = workspaceWithId(world, each)
    if (
      consumer?.organization !== organization ||
      !hasWorkspaceRight(world, caller, consumer, 'visible')
    ) {
      throw refuse('not-found')
    }
  }
  if (ids.includes(id)) throw refuse('consumer-itself')
  const others = consumerIds.filter((each) => !ids.includes(each))
  const remaining = change === 'replace' ? [] : others
  const remote_state_consumers = change === 'remove' ? remaining : [...remaining, ...new Set(ids)]
  const updated_at = world.clock.now()
  world.write(() => putWorkspace(world, { ...workspace, remote_state_consumers, updated_at }))
}

/**
 * Removes a workspace from the consumer lists of all other workspaces. Must run inside a
 * transaction.
 */
export function dropConsumer(world: World, { id, organization }: Workspace): void {
  for (const other of workspacesOf(world, organization)) {
    const { remote_state_consumers: consumerIds = [] } = other
    if (!consumerIds.includes(id)) continue
    const remote_state_consumers = consumerIds.filter((each) => each !== id)
    putWorkspace(world, { ...other, remote_state_consumers })
  }
}
