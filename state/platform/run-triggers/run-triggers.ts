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
import { mayOn } from '../workspaces/rights.ts'
import { type Workspace, workspaceWithId } from '../workspaces/workspaces.ts'

const triggerShape = struct({
  /** Id of the form `rt-…`. */
  id: text,
  /** Id of the workspace that gets the runs. */
  workspace: text,
  /** Id of the workspace whose applied runs start them. */
  source: text,
  created_at: instant,
})

/** A trigger: an applied run of one workspace starts a run of another (behaviour/platform#run-triggers). */
export interface RunTrigger extends StoredOf<typeof triggerShape> {}

/**
 * Run triggers by `<workspace>/<number>`, in creation order. The index `bySource` has keys of the
 * form `<source>/<id>`.
 */
export const runTriggers = platformTable('run-triggers', triggerShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id, bySource: ({ source, id }) => `${source}/${id}` },
})

const rows = ownedRows(runTriggers, 'workspace')

/** Maximum number of sources of a workspace. */
const maxSources = 20

/** Direction in which triggers of a workspace are listed: those that start its runs, or other runs. */
type TriggerDirection = 'inbound' | 'outbound'

/** Lookup of a trigger by its id. */
export const runTriggerWithId = rows.withId

/** Returns the triggers that start runs of a workspace, or that its runs start, oldest first. */
export function runTriggersOf(
  world: World,
  workspace: string,
  direction: TriggerDirection,
): RunTrigger[] {
  if (direction === 'inbound') return rows.of(world, workspace)
  const found = Array.from(world.table(runTriggers).index('bySource').rows(`${workspace}/`))
  return found.sort((one, other) => one.created_at - other.created_at)
}

/** Returns whether the caller may read and change the triggers of a workspace. */
export function managesRunTriggers(world: World, caller: Caller, workspace: Workspace): boolean {
  if (isOrganizationToken(caller, workspace.organization)) return true
  return mayOn(world, caller, workspace, 'admin')
}

/**
 * Adds a trigger from a source to a workspace. Throws 404 unless the caller may read runs of the
 * source, which belongs to the same organization.
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
    isOrganizationToken(caller, organization) || mayOn(world, caller, source, { runs: 'read' })
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

/** Deletes a trigger. */
export function deleteRunTrigger(world: World, { id }: RunTrigger): void {
  world.write(() => rows.drop(world, { id }))
}

/** Deletes the triggers from and to a workspace. Must run inside a transaction. */
export function dropRunTriggersOf(world: World, workspace: string): void {
  for (const trigger of runTriggersOf(world, workspace, 'outbound')) rows.drop(world, trigger)
  rows.dropAll(world, workspace)
}
