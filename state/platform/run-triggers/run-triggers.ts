import { instant, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Caller, isOrganizationToken } from '../accounts/callers.ts'
import { newId } from '../ids.ts'
import { refuse, requireFound } from '../messages.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
import { invalidAttributes, Violations, violation } from '../violations.ts'
import { hasWorkspaceRight } from '../workspaces/rights.ts'
import { type Workspace, workspaceWithId } from '../workspaces/workspaces.ts'

const triggerShape = struct({
  /** Id of the form `rt-…`. */
  id: text,
  /** Id of the workspace in which runs are started. */
  workspace: text,
  /** Id of the workspace whose applied runs start runs in `workspace`. */
  source: text,
  created_at: instant,
})

/**
 * A link between workspaces: a run that is applied in `source` starts a run in `workspace`
 * (behaviour/platform#run-triggers).
 */
export interface RunTrigger extends StoredOf<typeof triggerShape> {}

/**
 * Run triggers by `<workspace id>/<number>`, in creation order. Keys of the index `bySource` are
 * `<source id>/<trigger id>`.
 */
export const runTriggers = platformTable('run-triggers', triggerShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id, bySource: ({ source, id }) => `${source}/${id}` },
})

const rows = ownedRows(runTriggers, 'workspace')

/** Maximum number of source workspaces for one workspace. */
const maxSources = 20

/**
 * Direction seen from one workspace: `inbound` triggers start runs in this workspace; `outbound`
 * triggers start runs in other workspaces when a run of this workspace is applied.
 */
type TriggerDirection = 'inbound' | 'outbound'

export const runTriggerWithId = rows.withId

/** Returns the run triggers of a workspace in one direction, oldest first. */
export function runTriggersOf(
  world: World,
  workspace: string,
  direction: TriggerDirection,
): RunTrigger[] {
  if (direction === 'inbound') return rows.of(world, workspace)
  const found = Array.from(world.table(runTriggers).index('bySource').rows(`${workspace}/`))
  return found.sort((one, other) => one.created_at - other.created_at)
}

/** Returns whether the caller may read and change the run triggers of a workspace. */
export function managesRunTriggers(world: World, caller: Caller, workspace: Workspace): boolean {
  if (isOrganizationToken(caller, workspace.organization)) return true
  return hasWorkspaceRight(world, caller, workspace, 'admin')
}

/**
 * Adds a run trigger. Throws 404 unless the source is in the workspace's organization and the
 * caller may read the runs of the source. Throws 422 in each of these cases: the request has no
 * source; the source is the workspace itself; the trigger already exists; the workspace has the
 * maximum number of sources.
 */
export function createRunTrigger(
  world: World,
  caller: Caller,
  workspace: Workspace,
  sourceId: string | undefined,
): RunTrigger {
  const { id, organization } = workspace
  if (sourceId === undefined) throw invalidAttributes([violation('sourceable', 'blank')])
  const source = requireFound(workspaceWithId(world, sourceId))
  const isReadable =
    isOrganizationToken(caller, organization) ||
    hasWorkspaceRight(world, caller, source, { runs: 'read' })
  if (source.organization !== organization || !isReadable) throw refuse('not-found')
  const violations = new Violations()
  const existing = rows.of(world, id)
  if (sourceId === id) violations.add('sourceable', 'workspace-itself')
  else if (existing.some((one) => one.source === sourceId)) violations.add('sourceable', 'taken')
  violations.check()
  if (existing.length >= maxSources) throw refuse('run-triggers-full', { limit: maxSources })
  const created_at = world.clock.now()
  return world.write(() =>
    rows.put(world, { id: newId(world, 'rt'), workspace: id, source: sourceId, created_at }),
  )
}

export function deleteRunTrigger(world: World, { id }: RunTrigger): void {
  world.write(() => rows.drop(world, { id }))
}

/** Deletes the inbound and outbound triggers of a workspace. Must run inside a transaction. */
export function dropRunTriggersOf(world: World, workspace: string): void {
  for (const trigger of runTriggersOf(world, workspace, 'outbound')) rows.drop(world, trigger)
  rows.dropAll(world, workspace)
}
