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
import type { Action, Fault, NewFault, When } from './declare/fault-shapes.ts'
import { latencyOf, parseMilliseconds } from './declare/latency.ts'
import { evaluateWhen, seededRandom } from './declare/occurrence.ts'
import type { PresetEffect, PresetParameters } from './declare/preset.ts'
import type { PresetCatalog } from './presets/catalog.ts'
import { PresetApplier } from './presets/preset-applier.ts'

/** The combined effect of the faults that apply to a request in one phase. */
export interface FaultDecision {
  /** Delay in milliseconds of real time. */
  readonly latency: number
  /** Action that decides the answer; undefined if faults only delay it, or if no fault applies. */
  readonly action: Action | undefined
  /**
   * Id of the fault with the action; if the faults only delay the answer, the id of the first one.
   * Undefined if no fault applies.
   */
  readonly fault: string | undefined
}

/** Preset to which a fault belongs. */
interface PresetOrigin {
  readonly name: string
  readonly parameters: object
  /** Changes to make when the fault is applied. */
  readonly changes?: PresetChanges
}

const noDecision: FaultDecision = { latency: 0, action: undefined, fault: undefined }

/** Actions that change only the answer; the request still takes effect. */
const lateActions = ['truncate', 'garbage', 'slowBody'] as const

/** Members of an action that exclude each other. */
const actionKinds = ['status', 'hang', 'reset', ...lateActions] as const

/** The faults of one world: rules that make requests fail (behaviour/program#faults). */
export class Faults {
  /** Catalog of the process's presets, with the additional effects of their faults. */
  readonly catalog: PresetCatalog
  readonly presetApplier: PresetApplier
  readonly #world: World
  readonly #matchers = new WeakMap<object, Matcher>()
  #lastNumber = 0

  constructor(world: World, catalog: PresetCatalog) {
    this.#world = world
    this.catalog = catalog
    this.presetApplier = new PresetApplier(world, catalog)
  }

  /** Returns the faults in order of creation. */
  list(): readonly Fault[] {
    return this.#rows().map(faultView)
  }

  /** Returns a fault. Throws an `absent` refusal if no fault has this id. */
  get(id: string): Fault {
    return faultView(this.#row(id))
  }

  /**
   * Adds a fault. The caller has already checked the fault against its shape. Throws `InputError`
   * for mistakes that the shape cannot express, and a `conflict` refusal for an existing id.
   *
   * @param preset the preset to which the fault belongs
   */
  add({ id, match, when, times, phase, action }: NewFault, preset?: PresetOrigin): Fault {
    const problems = problemsOf(action, when ?? {}, phase)
    if (problems.length > 0) throw new InputError(problems)
    if (id !== undefined && this.#find(id) !== undefined) {
      throw new Refusal('conflict', `the fault "${id}" already exists`)
    }
    const isLate = lateActions.some((kind) => action[kind] !== undefined)
    const row: FaultRow = {
      id: id ?? this.#nextId(),
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
    // A matcher that cannot be compiled is refused before the fault is stored.
    this.#matcher(row)
    this.#put(row)
    return faultView(row)
  }

  /**
   * Deletes a fault, and closes the connections that the fault holds open. Throws an `absent`
   * refusal for an unknown id.
   */
  delete(id: string): void {
    const { number } = this.#row(id)
    this.#world.write(() => this.#world.table(faultRows).delete(numberKey(number)))
  }

  /**
   * Deletes all faults, or the faults of one preset, and closes the connections that they hold
   * open.
   */
  clear(preset?: string): void {
    for (const row of this.#rows()) {
      if (preset === undefined || row.preset === preset) this.delete(row.id)
    }
  }

  /** Restarts the numbering of generated ids. */
  restart(): void {
    this.#lastNumber = 0
  }

  /**
   * Combines the faults that apply to a request in one phase. Counts the request for each matching
   * fault, adds applied faults to the record, and runs the effects of their presets.
   *
   * @param hadAction true if a fault of an earlier phase has already decided the answer; matching
   *   faults of this phase are then only counted
   */
  decide(record: RequestRecord, phase: FaultRow['phase'], hadAction = false): FaultDecision {
    let decision = hadAction ? { ...noDecision, fault: record.fault } : noDecision
    let hasAction = hadAction
    for (const row of this.#rows()) {
      const effect = this.catalog.effectOf(row.preset)
      if (row.phase !== phase || !this.#matches(row, effect, record)) continue
      const { matched, randomSeed, applies, spent, groups } = this.#occurrence(row, effect, record)
      const kind = actionKinds.find((name) => (row.action as Action)[name] !== undefined)
      const decidesAnswer = kind !== undefined
      const isHit = applies && !row.spent && !(decidesAnswer && hasAction) && !hadAction
      const hits = row.hits + (isHit ? 1 : 0)
      const isSpent = row.spent || spent || hits === row.times
      this.#put({ ...row, ...groups, matched, hits, spent: isSpent })
      if (!isHit) continue
      const { id, preset, action: declaredAction } = row
      const applied = { id, preset, request: record.id, action: declaredAction }
      record.faults = [...record.faults, applied]
      record.worldRecords.recordAppliedFault(applied, kind ?? 'latency')
      const action = this.#actionFor(row, effect, record)
      decision = {
        latency: decision.latency + latencyOf(action, randomSeed),
        action: decidesAnswer ? action : decision.action,
        fault: decidesAnswer ? row.id : (decision.fault ?? row.id),
      }
      hasAction ||= decidesAnswer
    }
    return decision
  }

  /**
   * Runs the `prepare` effects of those presets whose faults will apply to a request. Called before
   * the API handles the request.
   */
  prepare(record: RequestRecord, request: FastifyRequest): void {
    for (const row of this.#rows()) {
      const prepare = this.catalog.effectOf(row.preset)?.prepare
      if (prepare === undefined || row.spent || !this.#matcher(row).matches(record)) continue
      if (this.#occurrence(row, undefined, record).applies) prepare(request)
    }
  }

  /**
   * Applies the changes of a fault, runs the `changeWorld` effect of its preset, and returns the action
   * with the values that the preset completes.
   */
  #actionFor(row: FaultRow, effect: PresetEffect | undefined, record: RequestRecord): Action {
    const { action, preset, parameters = {}, changes } = row
    if (changes !== undefined || effect?.changeWorld !== undefined) this.#world.runDueJobs()
    // The changes may schedule jobs that are due now. These jobs run when the request begins.
    if (changes !== undefined) this.presetApplier.apply(String(preset), changes)
    this.#world.write(() => effect?.changeWorld?.(record))
    return effect?.complete?.(action, record, parameters as PresetParameters) ?? (action as Action)
  }

  #matches(row: FaultRow, effect: PresetEffect | undefined, record: RequestRecord): boolean {
    return this.#matcher(row).matches(record) && effect?.appliesTo?.(record) !== false
  }

  /**
   * Returns the counts of a fault after one more matching request, and whether the fault applies to
   * this request. If the preset defines groups, the condition counts only requests in the group of
   * this request.
   */
  #occurrence(row: FaultRow, effect: PresetEffect | undefined, record: RequestRecord) {
    const matched = row.matched + 1
    const randomSeed = `${this.#world.seed}/${row.id}/${matched}`
    const when = (row.when ?? {}) as When
    const group = effect?.group?.(record)
    if (group === undefined)
      return { matched, randomSeed, ...evaluateWhen(when, matched, () => seededRandom(randomSeed)) }
    const matchedInGroup = (row.groups?.[group] ?? 0) + 1
    const { applies } = evaluateWhen(when, matchedInGroup, () => seededRandom(randomSeed))
    // The fault stays in use, because other groups may still meet the condition.
    return {
      matched,
      randomSeed,
      applies,
      spent: false,
      groups: { groups: { ...row.groups, [group]: matchedInGroup } },
    }
  }

  /**
   * Calls `onDeleted` when a fault is deleted or its world ends. If the fault no longer exists,
   * calls `onDeleted` soon after this call.
   *
   * @param onDeleted called again at later changes, unless the returned function was called
   * @returns a function that stops watching
   */
  watchDeletion(id: string, onDeleted: () => void): () => void {
    let isWatching = true
    const checkDeletion = () => {
      if (isWatching && (this.#world.closed || this.#find(id) === undefined)) onDeleted()
    }
    // A reset or an import may restore the fault before the check runs.
    const wake = () => queueMicrotask(checkDeletion)
    const key = numberKey(this.#find(id)?.number ?? 0)
    const unwatch = this.#world.store.watchers.watchKey(faultRows.id, key, wake)
    // The fault may have been deleted during a delay before this call.
    wake()
    return () => {
      isWatching = false
      unwatch()
    }
  }

  #nextId(): string {
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

  /**
   * Returns the compiled matcher of a fault. The `match` object is the key of the cache, because a
   * change of the counts does not replace that object.
   */
  #matcher({ match }: FaultRow): Matcher {
    const criteria = (match ?? emptyMatch) as Match
    const known = this.#matchers.get(criteria)
    if (known !== undefined) return known
    const matcher = matcherOf(criteria, fingerprintOf(this.#world.seed))
    this.#matchers.set(criteria, matcher)
    return matcher
  }
}

const emptyMatch: Match = {}

function faultView(row: FaultRow): Fault {
  const { number, parameters, groups, changes, ...fault } = row
  // The row was checked against its shape when it was created.
  return fault as Fault
}

/**
 * Returns the mistakes in a fault that its shape cannot express, such as two actions that exclude
 * each other.
 */
function problemsOf(action: Action, when: When, phase: NewFault['phase']): string[] {
  const kinds = actionKinds.filter((kind) => action[kind] !== undefined)
  const rules = (['first', 'nth', 'every', 'probability'] as const).filter(
    (rule) => when[rule] !== undefined,
  )
  const problems: string[] = []
  if (kinds.length === 0 && action.latency === undefined) {
    problems.push('/action must have an action')
  }
  if (kinds.length > 1)
    problems.push(`/action has ${kinds.join(' and ')}, but must have only one of them`)
  for (const member of ['errors', 'body', 'headers'] as const) {
    if (action[member] !== undefined && action.status === undefined) {
      problems.push(`/action/${member} requires a status`)
    }
  }
  if (rules.length > 1)
    problems.push(`/when has ${rules.join(' and ')}, but must have only one of them`)
  if (phase === 'before' && lateActions.some((kind) => action[kind] !== undefined)) {
    problems.push(`/phase cannot be before with ${kinds.join(' and ')}`)
  }
  for (const [at, text] of durationsOf(action)) {
    if (parseMilliseconds(text) === undefined) {
      problems.push(`/action${at} must be a Go duration of at most 10m, such as 200ms`)
    }
  }
  for (const [name, value] of Object.entries(action.headers ?? {})) {
    if (isValidHeader(name, value)) continue
    problems.push(`/action/headers/${pointerName(name)} is not a header that can be sent`)
  }
  return problems
}

function isValidHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

/** Returns the durations of an action as texts, each with its JSON pointer within the action. */
function durationsOf({ latency, hang }: Action): readonly (readonly [string, string])[] {
  const hangDurations = typeof hang === 'string' ? [['/hang', hang] as const] : []
  if (latency === undefined) return hangDurations
  if (typeof latency === 'string') return [['/latency', latency], ...hangDurations]
  const [name, texts] =
    'uniform' in latency ? ['uniform', latency.uniform] : ['normal', latency.normal]
  return [...texts.map((text, at) => [`/latency/${name}/${at}`, text] as const), ...hangDurations]
}
