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
import type { PresetCatalog } from './catalog.ts'

type ChangeTarget = Pick<PresetChange, 'what' | 'of' | 'name'>

/**
 * Applier of the changes that presets make to the options and object states of one world. Each
 * change is stored, so that ending its preset can undo the change.
 */
export class PresetApplier {
  readonly #world: World
  readonly #catalog: PresetCatalog

  constructor(world: World, catalog: PresetCatalog) {
    this.#world = world
    this.#catalog = catalog
  }

  /**
   * Applies the changes of a preset and stores them for undoing. If an option or state already has
   * the new value, its change is not stored. If a change is refused, nothing changes. The caller
   * must run due jobs before and after the call, because a forced transition may schedule a job for
   * the current instant.
   */
  apply(preset: string, { options, pushes }: PresetChanges): void {
    this.#world.write(() => {
      const changes = [
        ...Object.entries(options ?? {}).flatMap(([service, values]) => {
          return Object.entries(values).map(([name, value]) =>
            this.#setOption(service, name, value),
          )
        }),
        ...(pushes ?? []).map((transition) => this.#forceTransition(transition)),
      ].filter(({ before, after }) => before !== after)
      if (changes.length === 0) return
      const table = this.#world.table(presetRows)
      const [last = ''] = [...table.entries()].at(-1) ?? []
      table.put(numberKey(Number(last) + 1), { preset, changes })
    })
  }

  /**
   * Undoes the changes of a preset in reverse order. A value that was changed again after the
   * preset stays as it is. If another preset made the later change, undoing that other preset
   * restores the value from before both presets. Runs due jobs before and after.
   */
  undo(preset: string): void {
    const table = this.#world.table(presetRows)
    const rows = [...table.entries()].filter(([, row]) => row.preset === preset)
    if (rows.length === 0) return
    this.#world.runDueJobs()
    this.#world.write(() => {
      for (const [key, { changes }] of rows.reverse()) {
        table.delete(key)
        for (const change of [...changes].reverse()) {
          if (this.#rebaseLaterChange(key, change)) continue
          if (this.#currentValue(change) === change.after) this.#revert(change)
        }
      }
    })
    this.#world.runDueJobs()
  }

  /** Returns the names of the presets that still have at least one change in effect. */
  presetsInPlace(): readonly string[] {
    return [...this.#world.table(presetRows).entries()].flatMap(([, { preset, changes }]) =>
      changes.some((change) => this.#currentValue(change) === change.after) ? [preset] : [],
    )
  }

  /**
   * Rebases the next preset that changed the same option or state after `change`: undoing that
   * later preset then restores the value from before `change`. Returns false if there is no later
   * preset.
   */
  #rebaseLaterChange(after: string, change: PresetChange): boolean {
    const table = this.#world.table(presetRows)
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

  #setOption(service: string, name: string, after: Json): PresetChange {
    const change = { what: 'option', of: service, name, after } as const
    const before = this.#currentValue(change)
    this.#world.changeOptions({ [service]: { [name]: after } })
    return { ...change, before }
  }

  #forceTransition({ kind: kindName, id: name, to, extra = {} }: PresetTransition): PresetChange {
    const target = { what: 'push', of: kindName, name } as const
    const before = this.#currentValue(target)
    this.#requireKind(kindName).force(this.#world, name, to, extra)
    return { ...target, before, after: this.#currentValue(target) }
  }

  #revert({ what, of, name, before }: PresetChange): void {
    if (what === 'option') this.#world.changeOptions({ [of]: { [name]: before } })
    else this.#requireKind(of).force(this.#world, name, String(before), {})
  }

  /**
   * Returns the current value of an option, or the current state of an object; null if the object
   * no longer exists.
   */
  #currentValue({ what, of, name }: ChangeTarget): Json {
    if (what === 'push') {
      const items = this.#requireKind(of).items(this.#world)
      return items.find(({ id }) => id === name)?.state ?? null
    }
    const service = this.#world.services.find((known) => known.name === of)
    const values: Readonly<Record<string, Json>> =
      service === undefined ? {} : { ...this.#world.options(service.options) }
    return values[name] ?? null
  }

  #requireKind(name: string): TransitionKind {
    const known = this.#world.transitions.get(name) ?? this.#catalog.transitionKind(name)
    if (known === undefined) throw new Error(`no kind of transition is called ${name}`)
    return known
  }
}
