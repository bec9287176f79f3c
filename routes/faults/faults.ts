import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../state/kernel/refusal.ts'
import {
  type FaultRow,
  faultRows,
  numberKey,
  type PresetChanges,
} from '../../state/kernel/worlds/fault-tables.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { InputError, pointerName } from '../http/declare/validate.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import { fingerprintOf } from '../journal/fingerprint.ts'
import type { Match } from '../journal/match-shapes.ts'
import { type Matcher, matcherOf } from '../journal/matcher.ts'
import type { Effect, PresetParameters } from './effect.ts'
import type { Action, Fault, NewFault, When } from './fault-shapes.ts'
import { latencyOf, parseMilliseconds } from './latency.ts'
import { evaluateWhen, seededRandom } from './occurrence.ts'
import { effectOf } from './presets/all.ts'
import { applyChanges } from './presets/apply-changes.ts'

/** The faults that a request meets in one phase. */
export interface FaultDecision {
  /** Real milliseconds to wait. */
  readonly latency: number
  /** What is done to it besides. */
  readonly action: Action | undefined
  /** The fault whose action that is; of latency alone, the first. */
  readonly fault: string | undefined
}

/** The preset of a fault, and what belongs to it. */
interface PresetOrigin {
  readonly name: string
  readonly parameters: object
  /** Made once it is applied. */
  readonly changes?: PresetChanges
}

const noDecision: FaultDecision = { latency: 0, action: undefined, fault: undefined }

/** Actions that leave the request its effect. */
const lateActions = ['truncate', 'garbage', 'slowBody'] as const

/** The members of an action of which it has one. */
const actionKinds = ['status', 'hang', 'reset', ...lateActions] as const

/** Rules that make requests of one world fail (behaviour/program#faults). */
export class Faults {
  readonly #world: World
  readonly #matchers = new WeakMap<object, Matcher>()
  #lastNumber = 0

  constructor(world: World) {
    this.#world = world
  }

  /** Tells whether there are any; asked by each request. */
  get any(): boolean {
    return this.#world.store.hasRows(faultRows)
  }

  /** In the order in which they were made. */
  list(): readonly Fault[] {
    return this.#rows().map(faultView)
  }

  /** One of them; an `absent` refusal when there is none. */
  get(id: string): Fault {
    return faultView(this.#row(id))
  }

  /**
   * Adds a fault that fits its shape.
   *
   * @param preset the preset that it is a part of
   */
  add({ id, match, when, times, phase, action }: NewFault, preset?: PresetOrigin): Fault {
    const problems = problemsOf(action, when ?? {}, phase)
    if (problems.length > 0) throw new InputError(problems)
    if (id !== undefined && this.#find(id) !== undefined) {
      throw new Refusal('conflict', `there is a fault "${id}" already`)
    }
    const isLate = lateActions.some((kind) => action[kind] !== undefined)
    const row: FaultRow = {
      id: id ?? this.#name(),
      number: (this.#rows().at(-1)?.number ?? 0) + 1,
      ...(match === undefined ? {} : { match }),
      ...(when === undefined ? {} : { when }),
      ...(times === undefined ? {} : { times }),
      phase: phase ?? (isLate ? 'afterCommit' : 'before'),
      action,
      preset: preset?.name ?? null,
      ...(preset && { parameters: preset.parameters }),
      ...(preset?.changes && { changes: preset.changes }),
      matched: 0,
      hits: 0,
      spent: false,
    }
    // What cannot be compiled is refused before it is kept.
    this.#matcher(row)
    this.#put(row)
    return faultView(row)
  }

  /** Takes a fault away; requests that it holds are let go. */
  delete(id: string): void {
    const { number } = this.#row(id)
    this.#world.write(() => this.#world.table(faultRows).delete(numberKey(number)))
  }

  /** Takes all faults away, or those of a preset. */
  clear(preset?: string): void {
    for (const row of this.#rows()) {
      if (preset === undefined || row.preset === preset) this.delete(row.id)
    }
  }

  /** Begins anew with the names of those that are given none. */
  restart(): void {
    this.#lastNumber = 0
  }

  /** Counts a request, and returns what is done to it in a phase. */
  decide(record: RequestRecord, phase: FaultRow['phase'], hadAction = false): FaultDecision {
    let decision = hadAction ? { ...noDecision, fault: record.fault } : noDecision
    let hasAction = hadAction
    for (const row of this.#rows()) {
      const effect = effectOf(row.preset)
      if (row.phase !== phase || !this.#fits(row, effect, record)) continue
      const { matched, name, applies, spent, groups } = this.#occurrence(row, effect, record)
      const kind = actionKinds.find((name) => (row.action as Action)[name] !== undefined)
      const hasMore = kind !== undefined
      const isHit = applies && !row.spent && !(hasMore && hasAction) && !hadAction
      const hits = row.hits + (isHit ? 1 : 0)
      const isSpent = row.spent || spent || hits === row.times
      this.#put({ ...row, ...groups, matched, hits, spent: isSpent })
      if (!isHit) continue
      const { id, preset, action: given } = row
      const applied = { id, preset, request: record.id, action: given }
      record.faults = [...record.faults, applied]
      record.worldRecords.faultApplied(applied, kind ?? 'latency')
      const action = this.#actionFor(row, effect, record)
      decision = {
        latency: decision.latency + latencyOf(action, name),
        action: hasMore ? action : decision.action,
        fault: hasMore ? row.id : (decision.fault ?? row.id),
      }
      hasAction ||= hasMore
    }
    return decision
  }

  /** Lets presets change what a request asks for whose answer they will change. */
  prepare(record: RequestRecord, request: FastifyRequest): void {
    for (const row of this.#rows()) {
      const prepare = effectOf(row.preset)?.prepare
      if (prepare === undefined || row.spent || !this.#matcher(row).matches(record)) continue
      if (this.#occurrence(row, undefined, record).applies) prepare(request)
    }
  }

  /** Does what a preset does beyond the action, and returns that action with what it knows now. */
  #actionFor(row: FaultRow, effect: Effect | undefined, record: RequestRecord): Action {
    const { action, preset, parameters = {}, changes } = row
    if (changes !== undefined || effect?.act !== undefined) this.#world.runDueJobs()
    // What follows is due now, and done when the request begins.
    if (changes !== undefined) applyChanges(this.#world, String(preset), changes)
    this.#world.write(() => effect?.act?.(record))
    return effect?.complete?.(action, record, parameters as PresetParameters) ?? (action as Action)
  }

  #fits(row: FaultRow, effect: Effect | undefined, record: RequestRecord): boolean {
    return this.#matcher(row).matches(record) && effect?.appliesTo?.(record) !== false
  }

  /** Counts a request that fits, in its group where its preset tells some apart. */
  #occurrence(row: FaultRow, effect: Effect | undefined, record: RequestRecord) {
    const matched = row.matched + 1
    const name = `${this.#world.seed}/${row.id}/${matched}`
    const when = (row.when ?? {}) as When
    const group = effect?.group?.(record)
    if (group === undefined)
      return { matched, name, ...evaluateWhen(when, matched, () => seededRandom(name)) }
    const place = (row.groups?.[group] ?? 0) + 1
    const { applies } = evaluateWhen(when, place, () => seededRandom(name))
    // Other groups are still to come.
    return {
      matched,
      name,
      applies,
      spent: false,
      groups: { groups: { ...row.groups, [group]: place } },
    }
  }

  /**
   * Holds a request until the fault is gone, or the world is.
   *
   * @param onDeleted called then, once
   * @returns how to call that off
   */
  watchDeletion(id: string, onDeleted: () => void): () => void {
    let isWatching = true
    const look = () => {
      if (isWatching && (this.#world.closed || this.#find(id) === undefined)) onDeleted()
    }
    // What a reset or an import takes away it may put back before it is over.
    const wake = () => queueMicrotask(look)
    const key = numberKey(this.#find(id)?.number ?? 0)
    const unwatch = this.#world.store.watchers.watchKey(faultRows.id, key, wake)
    // It may be gone by now: a latency goes before.
    wake()
    return () => {
      isWatching = false
      unwatch()
    }
  }

  #name(): string {
    do this.#lastNumber += 1
    while (this.#find(`f${this.#lastNumber}`) !== undefined)
    return `f${this.#lastNumber}`
  }

  #rows(): FaultRow[] {
    return [...this.#world.table(faultRows).entries()].map(([, row]) => row)
  }

  #find(id: string): FaultRow | undefined {
    return this.#rows().find((row) => row.id === id)
  }

  #row(id: string): FaultRow {
    const row = this.#find(id)
    if (row === undefined) throw new Refusal('absent', `there is no fault "${id}"`)
    return row
  }

  #put(row: FaultRow): void {
    this.#world.write(() => this.#world.table(faultRows).put(numberKey(row.number), row))
  }

  /** Kept by the description, which stays the same object while the counts change. */
  #matcher({ match }: FaultRow): Matcher {
    const criteria = (match ?? anything) as Match
    const known = this.#matchers.get(criteria)
    if (known !== undefined) return known
    const matcher = matcherOf(criteria, fingerprintOf(this.#world.seed))
    this.#matchers.set(criteria, matcher)
    return matcher
  }
}

const anything: Match = {}

function faultView(row: FaultRow): Fault {
  const { number, parameters, groups, changes, ...fault } = row
  // The row was checked against its shape when it was made.
  return fault as Fault
}

/** What is wrong with an action beyond its shape. */
function problemsOf(action: Action, when: When, phase: NewFault['phase']): string[] {
  const given = actionKinds.filter((kind) => action[kind] !== undefined)
  const rules = (['first', 'nth', 'every', 'probability'] as const).filter(
    (rule) => when[rule] !== undefined,
  )
  const problems: string[] = []
  if (given.length === 0 && action.latency === undefined) {
    problems.push('/action must say what is done')
  }
  if (given.length > 1) problems.push(`/action has ${given.join(' and ')}, of which it takes one`)
  for (const of of ['errors', 'body', 'headers'] as const) {
    if (action[of] !== undefined && action.status === undefined) {
      problems.push(`/action/${of} belongs to a status`)
    }
  }
  if (rules.length > 1) problems.push(`/when has ${rules.join(' and ')}, of which it takes one`)
  if (phase === 'before' && lateActions.some((kind) => action[kind] !== undefined)) {
    problems.push(`/phase cannot be before with ${given.join(' and ')}`)
  }
  for (const [at, text] of durationsOf(action)) {
    if (parseMilliseconds(text) === undefined) {
      problems.push(`/action${at} must be a Go duration of at most 10m, as 200ms`)
    }
  }
  for (const [name, value] of Object.entries(action.headers ?? {})) {
    if (isHeader(name, value)) continue
    problems.push(`/action/headers/${pointerName(name)} is no header that can be sent`)
  }
  return problems
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

/** The durations of an action with their places. */
function durationsOf({ latency, hang }: Action): readonly (readonly [string, string])[] {
  const hangs = typeof hang === 'string' ? [['/hang', hang] as const] : []
  if (latency === undefined) return hangs
  if (typeof latency === 'string') return [['/latency', latency], ...hangs]
  const [name, texts] =
    'uniform' in latency ? ['uniform', latency.uniform] : ['normal', latency.normal]
  return [...texts.map((text, at) => [`/latency/${name}/${at}`, text] as const), ...hangs]
}
