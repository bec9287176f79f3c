import type { Json } from '../json.ts'
import { sortableNumber } from '../sortable-number.ts'
import { defineTable, kernelService } from '../store/table.ts'

/** A rule that makes requests fail, with its counters (behaviour/program#faults). */
export interface FaultRow {
  readonly id: string
  /** Position in the order of creation, in which faults are applied. */
  readonly number: number
  /** Description of the requests that match, in the form that the caller gave. */
  readonly match?: object
  readonly when?: object
  readonly times?: number
  /** Phase of a request in which the fault is applied. The default depends on the action. */
  readonly phase: 'before' | 'afterCommit'
  readonly action: object
  readonly preset: string | null
  /** Number of requests that matched, including those to which the fault was not applied. */
  readonly matched: number
  /** Number of requests to which the fault was applied. */
  readonly hits: number
  /** True if the fault will never be applied again. */
  readonly spent: boolean
  /** Parameters of the fault's preset. */
  readonly parameters?: object
  /** Number of matching requests per group, for presets that count groups separately. */
  readonly groups?: Readonly<Record<string, number>>
  /**
   * Changes to make when the fault is applied, for presets that take effect at a request and not at
   * once.
   */
  readonly changes?: PresetChanges
}

/** Changes to a world by which a preset causes a real failure. */
export interface PresetChanges {
  /** Option values by service and name of the option. */
  readonly options?: Readonly<Record<string, Readonly<Record<string, Json>>>>
  readonly pushes?: readonly PresetTransition[]
}

/** A forced transition that a preset makes. */
export interface PresetTransition {
  readonly kind: string
  readonly id: string
  readonly to: string
  /** Parameters that the transition has in addition to `to`. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/**
 * A change that a preset made. Undoing the preset restores `before`, unless the value was changed
 * again.
 */
export interface PresetChange {
  readonly what: 'option' | 'push'
  /** Service of an option, or kind of an object. */
  readonly of: string
  /** Name of the option, or id of the object. */
  readonly name: string
  /** Value or state before the change. */
  readonly before: Json
  readonly after: Json
}

/** An applied preset and the changes that it made (behaviour/program#presets). */
interface PresetRow {
  readonly preset: string
  readonly changes: readonly PresetChange[]
}

/**
 * Faults by padded number, so that keys sort by number. Snapshots contain the faults, but exports
 * do not contain them.
 */
export const faultRows = defineTable<FaultRow>()({
  service: kernelService,
  name: 'faults',
  secrets: 'none',
  // Faults are never imported, so their rows are not validated.
  schema: { type: 'object' },
})

/**
 * Applied presets by padded number, in order of creation. Snapshots contain the presets, but
 * exports do not contain them.
 */
export const presetRows = defineTable<PresetRow>()({
  service: kernelService,
  name: 'presets',
  secrets: 'none',
  schema: { type: 'object' },
})

/** Tables of a world's faults and applied presets. No document contains or replaces them. */
export const faultTables = [faultRows, presetRows] as const

/** Returns the key of a fault or preset: its number, padded so that keys sort by number. */
export function numberKey(number: number): string {
  return sortableNumber(number, 12)
}
