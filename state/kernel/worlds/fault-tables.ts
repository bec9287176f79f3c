import type { Json } from '../json.ts'
import { defineTable, kernelService } from '../store/table.ts'

/** A rule that makes requests fail, with what came of it so far (behaviour/program#faults). */
export interface FaultRow {
  readonly id: string
  /** Faults count in the order in which they were made. */
  readonly number: number
  /** Which requests, how often of those, and what is done to them: as it was asked for. */
  readonly match?: object
  readonly when?: object
  readonly times?: number
  readonly phase: 'before' | 'afterCommit'
  readonly action: object
  readonly preset: string | null
  /** So many requests fitted. */
  readonly matched: number
  /** To so many it was applied. */
  readonly hits: number
  /** True when it will never be applied again. */
  readonly spent: boolean
  /** Those of its preset. */
  readonly parameters?: object
  /** So many fitted of each group that its preset tells apart. */
  readonly groups?: Readonly<Record<string, number>>
  /** The changes that it makes once it is applied: of a preset that waits for its request. */
  readonly changes?: PresetChanges
}

/** The changes to a world by which a preset makes a failure really occur. */
export interface PresetChanges {
  /** Values by service and name. */
  readonly options?: Readonly<Record<string, Readonly<Record<string, Json>>>>
  readonly pushes?: readonly PresetTransition[]
}

/** A push of a thing to a state. */
export interface PresetTransition {
  readonly kind: string
  readonly id: string
  readonly to: string
  /** What it needs besides. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** Something that a preset has changed. */
export interface PresetChange {
  readonly what: 'option' | 'push'
  /** The service of an option, the kind of a thing. */
  readonly of: string
  /** The option's name, the thing's id. */
  readonly name: string
  /** Its value or state. */
  readonly before: Json
  readonly after: Json
}

/** What a preset has changed, so that it can be undone (behaviour/program#presets). */
export interface PresetRow {
  readonly preset: string
  readonly changes: readonly PresetChange[]
}

/** By number, padded, so that they stand in order. Part of snapshots, not of exports. */
export const faultRows = defineTable<FaultRow>()({
  service: kernelService,
  name: 'faults',
  // Never imported, so nobody checks it.
  schema: { type: 'object' },
})

/** By number, padded, in the order in which they were made; like faults part of snapshots alone. */
export const presetRows = defineTable<PresetRow>()({
  service: kernelService,
  name: 'presets',
  schema: { type: 'object' },
})

/** The tables of what makes a world fail; no document has them, and none takes them away. */
export const faultTables = [faultRows, presetRows] as const

/** The key of a row by number. */
export function numberKey(number: number): string {
  return String(number).padStart(12, '0')
}
