import { type FaultRow, faultRows } from '../../state/kernel/faults.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import type { World } from '../../state/kernel/world.ts'
import { InputError } from '../http/validate.ts'
import type { Visit } from '../http/visit.ts'
import { fingerprintOf } from '../journal/fingerprint.ts'
import type { Match } from '../journal/match-shapes.ts'
import { type Matcher, matcherOf } from '../journal/matcher.ts'
import type { Action, Fault, NewFault, When } from './fault-shapes.ts'
import { latencyOf, milliseconds } from './latency.ts'
import { drawn, occurs } from './occurrence.ts'

/** The faults that a request meets in one phase. */
export interface Encounter {
  /** Real milliseconds to wait. */
  readonly latency: number
  /** What is done to it besides. */
  readonly action: Action | undefined
  /** The fault whose action that is; of latency alone, the first. */
  readonly fault: string | undefined
}

const nothing: Encounter = { latency: 0, action: undefined, fault: undefined }

/** Actions that leave the request its effect. */
const lateActions = ['truncate', 'garbage', 'slowBody'] as const

/** The members of an action of which it has one. */
const kinds = ['status', 'hang', 'reset', ...lateActions] as const

/** Rules that make requests of one world fail (CONTROL section 3). */
export class Faults {
  readonly #world: World
  readonly #matchers = new WeakMap<object, Matcher>()
  readonly #held = new Map<string, Set<() => void>>()
  #named = 0

  constructor(world: World) {
    this.#world = world
  }

  /** Tells whether there are any; asked by each request. */
  get any(): boolean {
    return this.#world.store.holds(faultRows)
  }

  /** In the order in which they were made. */
  list(): readonly Fault[] {
    return this.#rows().map(shown)
  }

  /** One of them; an `absent` refusal when there is none. */
  get(id: string): Fault {
    return shown(this.#row(id))
  }

  /**
   * Adds a fault that fits its shape.
   *
   * @param preset the name of the preset that it is a part of
   */
  add({ id, match, when, times, phase, action }: NewFault, preset: string | null = null): Fault {
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
      preset,
      matched: 0,
      hits: 0,
      spent: false,
    }
    // What cannot be compiled is refused before it is kept.
    this.#matcher(row)
    this.#put(row)
    return shown(row)
  }

  /** Takes a fault away; requests that it holds are let go. */
  delete(id: string): void {
    const { number } = this.#row(id)
    this.#world.write(() => this.#world.table(faultRows).delete(keyOf(number)))
    this.#release(id)
  }

  /** Takes all faults away, or those of a preset. */
  clear(preset?: string): void {
    for (const row of this.#rows()) {
      if (preset === undefined || row.preset === preset) this.delete(row.id)
    }
  }

  /** Counts a request, and returns what is done to it in a phase. */
  meet(visit: Visit, phase: FaultRow['phase'], taken = false): Encounter {
    let encounter = taken ? { ...nothing, fault: visit.fault } : nothing
    let isTaken = taken
    for (const row of this.#rows()) {
      if (row.phase !== phase || !this.#matcher(row).fits(visit)) continue
      const matched = row.matched + 1
      const name = `${this.#world.seed}/${row.id}/${matched}`
      const { applies, spent } = occurs((row.when ?? {}) as When, matched, () => drawn(name))
      const action = row.action as Action
      const hasMore = kinds.some((kind) => action[kind] !== undefined)
      const isHit = applies && !row.spent && !(hasMore && isTaken) && !taken
      const hits = row.hits + (isHit ? 1 : 0)
      this.#put({ ...row, matched, hits, spent: row.spent || spent || hits === row.times })
      if (!isHit) continue
      encounter = {
        latency: encounter.latency + latencyOf(action, name),
        action: hasMore ? action : encounter.action,
        fault: hasMore ? row.id : (encounter.fault ?? row.id),
      }
      isTaken ||= hasMore
    }
    return encounter
  }

  /**
   * Holds a request until the fault is deleted.
   *
   * @param letGo called then, once
   * @returns how to call that off
   */
  hold(id: string, letGo: () => void): () => void {
    const held = this.#held.get(id) ?? new Set()
    this.#held.set(id, held.add(letGo))
    return () => held.delete(letGo)
  }

  #release(id: string): void {
    const held = this.#held.get(id) ?? []
    this.#held.delete(id)
    for (const letGo of [...held]) letGo()
  }

  #name(): string {
    do this.#named += 1
    while (this.#find(`f${this.#named}`) !== undefined)
    return `f${this.#named}`
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
    this.#world.write(() => this.#world.table(faultRows).put(keyOf(row.number), row))
  }

  /** Kept by the description, which stays the same object while the counts change. */
  #matcher({ match }: FaultRow): Matcher {
    const asked = (match ?? anything) as Match
    const known = this.#matchers.get(asked)
    if (known !== undefined) return known
    const made = matcherOf(asked, fingerprintOf(this.#world.seed))
    this.#matchers.set(asked, made)
    return made
  }
}

const anything: Match = {}

function keyOf(number: number): string {
  return String(number).padStart(12, '0')
}

function shown({ number: _, ...fault }: FaultRow): Fault {
  // The row was checked against its shape when it was made.
  return fault as Fault
}

/** What is wrong with an action beyond its shape. */
function problemsOf(action: Action, when: When, phase: NewFault['phase']): string[] {
  const given = kinds.filter((kind) => action[kind] !== undefined)
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
    if (milliseconds(text) === undefined) {
      problems.push(`/action${at} must be a Go duration of at most 10m, as 200ms`)
    }
  }
  return problems
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
