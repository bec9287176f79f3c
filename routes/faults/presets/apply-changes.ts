import type { Json } from '../../../state/kernel/json.ts'
import {
  numberKey,
  type PresetChange,
  type PresetChanges,
  type PresetTransition,
  presetRows,
} from '../../../state/kernel/worlds/fault-tables.ts'
import type { TransitionKind } from '../../../state/kernel/worlds/service.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { engineKind, replicationKind } from './secrets-transitions.ts'

/** Kinds of transitions that only presets force. */
const presetKinds: readonly TransitionKind[] = [replicationKind, engineKind]

/**
 * Applies the changes of a preset to a world and stores them for undoing. Values that are already
 * as requested are not stored. If a change is refused, nothing has changed. The caller must run due
 * jobs before and after, since a forced transition may schedule a job for the current instant.
 */
export function applyChanges(
  world: World,
  preset: string,
  { options, pushes }: PresetChanges,
): void {
  world.write(() => {
    const changes = [
      ...Object.entries(options ?? {}).flatMap(([service, values]) => {
        return Object.entries(values).map(([name, value]) => setOption(world, service, name, value))
      }),
      ...(pushes ?? []).map((transition) => forceTransition(world, transition)),
    ].filter(({ before, after }) => before !== after)
    if (changes.length === 0) return
    const table = world.table(presetRows)
    const [last = ''] = [...table.entries()].at(-1) ?? []
    table.put(numberKey(Number(last) + 1), { preset, changes })
  })
}

/**
 * Undoes the changes of a preset in reverse order. Values changed since then stay; if another
 * preset changed them, undoing that one restores the original.
 */
export function undo(world: World, preset: string): void {
  const table = world.table(presetRows)
  const rows = [...table.entries()].filter(([, row]) => row.preset === preset)
  if (rows.length === 0) return
  world.runDueJobs()
  world.write(() => {
    for (const [key, { changes }] of rows.reverse()) {
      table.delete(key)
      for (const change of [...changes].reverse()) {
        if (rebaseLaterChange(world, key, change)) continue
        if (currentValue(world, change) === change.after) revertChange(world, change)
      }
    }
  })
  world.runDueJobs()
}

/**
 * Passes a change on to the next preset that changed the same value, which will undo both; returns
 * false if there is none.
 */
function rebaseLaterChange(world: World, after: string, change: PresetChange): boolean {
  const table = world.table(presetRows)
  const isSame = ({ what, of, name }: PresetChange) =>
    what === change.what && of === change.of && name === change.name
  for (const [key, row] of [...table.entries()]) {
    if (key < after || !row.changes.some(isSame)) continue
    const changes = row.changes.map((each) =>
      isSame(each) && each.before === change.after ? { ...each, before: change.before } : each,
    )
    table.put(key, { ...row, changes })
    return true
  }
  return false
}

function setOption(world: World, of: string, name: string, after: Json): PresetChange {
  const change = { what: 'option', of, name, after } as const
  const before = currentValue(world, change)
  world.changeOptions({ [of]: { [name]: after } })
  return { ...change, before }
}

function forceTransition(
  world: World,
  { kind: of, id: name, to, extra = {} }: PresetTransition,
): PresetChange {
  const target = { what: 'push', of, name } as const
  const before = currentValue(world, target)
  requireKind(world, of).force(world, name, to, extra)
  return { ...target, before, after: currentValue(world, target) }
}

function revertChange(world: World, { what, of, name, before }: PresetChange): void {
  if (what === 'option') world.changeOptions({ [of]: { [name]: before } })
  else requireKind(world, of).force(world, name, String(before), {})
}

/** Returns the current value or state of a target; null if it no longer exists. */
function currentValue(world: World, target: Pick<PresetChange, 'what' | 'of' | 'name'>): Json {
  const { what, of, name } = target
  if (what === 'push') {
    const items = requireKind(world, of).items(world)
    return items.find(({ id }) => id === name)?.state ?? null
  }
  const service = world.services.find((known) => known.name === of)
  const values: Readonly<Record<string, Json>> =
    service === undefined ? {} : { ...world.options(service.options) }
  return values[name] ?? null
}

function requireKind(world: World, name: string): TransitionKind {
  const known = world.transitions.get(name) ?? presetKinds.find(({ kind }) => kind === name)
  if (known === undefined) throw new Error(`no kind of transition is called ${name}`)
  return known
}
