import { formatTimestamp, monotonicTime, wallClock } from '../../state/kernel/time.ts'
import type { ControlDependencies } from '../control/worlds/control-dependencies.ts'
import { WorldControl } from '../control/worlds/world-control.ts'
import { explain } from '../explain/explanation.ts'
import type { Fault } from '../faults/declare/fault-shapes.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import { entryOf, redactedPath } from '../journal/entry.ts'
import { type Matcher, matcherOf } from '../journal/matcher.ts'
import { sentToken } from '../journal/record-values.ts'
import type { CollectedStep, CollectedWorld } from './collected.ts'
import type { PackedStep, PackedWorld } from './packed.ts'
import { RowFormatter } from './row-formatter.ts'
import type { TraceSecrets } from './secrets.ts'
import type { FaultNearMiss, RequestStep, TracedWorld } from './trace.ts'
import type { Turns } from './turns.ts'

/** Dependencies that the worlds of a trace share. */
export interface FormatterParts {
  readonly control: ControlDependencies
  readonly secrets: TraceSecrets
  readonly turns: Turns
  /** Scheme and host of the addresses. */
  readonly origin: string
  /** Returns the milliseconds from the start of the run to a time on the monotonic clock. */
  sinceStart(time: number): number
}

/** Formats one world. Known secrets may still stand in places that are not declared. */
export async function formatWorld(
  collected: CollectedWorld,
  parts: FormatterParts,
): Promise<PackedWorld> {
  const { world, isDeleted, missing } = collected
  const { secrets, turns, sinceStart } = parts
  // Read in one turn, so that all of it belongs to one moment.
  const collectedSteps = [...collected.steps]
  const end = endOf(collected, parts)
  const matchers = matchersOf(end.faults, secrets)
  await turns.pause()
  const rows = new RowFormatter(world, secrets)
  const start = rows.state(collected.start)
  const steps: PackedStep[] = []
  for (const step of collectedSteps) {
    steps.push(formatStep(step, rows, matchers, parts))
    if (turns.isOver()) await turns.pause()
  }
  return {
    id: world.id,
    madeAt: sinceStart(monotonicTime() - (wallClock() - world.madeAt)),
    ...(world.origin === undefined ? {} : { from: { id: world.origin } }),
    deleted: isDeleted,
    start,
    steps,
    missing,
    ...end,
  }
}

function formatStep(
  step: CollectedStep,
  rows: RowFormatter,
  matchers: FaultMatchers,
  { secrets, sinceStart }: FormatterParts,
): PackedStep {
  const at = formatTimestamp(step.at)
  const ms = sinceStart(step.time)
  switch (step.kind) {
    case 'request':
      return {
        kind: 'request',
        ms,
        at,
        ...requestOf(step.record, matchers, secrets),
        round: step.round,
      }
    case 'changes': {
      const changes = step.changes.map((change) => rows.change(change))
      const { record } = step
      return { kind: 'changes', ms, at, ...(record && { request: record.id }), changes }
    }
    case 'replaced':
      return { kind: 'replaced', ms, at, cause: step.cause, state: rows.state(step.state) }
    case 'clock': {
      const fired = step.fired.map(({ at, kind, id }) => ({ at: formatTimestamp(at), kind, id }))
      return { kind: 'clock', ms, at, mode: step.mode, fired }
    }
    case 'snapshot':
      return { kind: 'snapshot', ms, at, id: step.id }
    case 'mark':
      return { kind: 'mark', ms, at, text: step.text }
  }
}

function requestOf(
  record: RequestRecord,
  matchers: FaultMatchers,
  secrets: TraceSecrets,
): Pick<RequestStep, 'entry' | 'faults' | 'nearMisses' | 'explanation'> {
  // All values of an unknown request are hidden, but only some of them are secrets.
  const isUnknown = record.operation === undefined && record.api.hidesUnknown === true
  const fingerprint = isUnknown ? secrets.undeclared : secrets.declared
  secrets.know(sentToken(record))
  const entry = entryOf(record, fingerprint)
  return {
    entry,
    faults: record.faults,
    nearMisses: record.faults.length > 0 ? [] : nearMissesOf(record, matchers),
    ...(entry.outcome === 'served' ? {} : { explanation: explain(record, fingerprint) }),
  }
}

/** Returns the state of a world at the end of the run, apart from its rows. */
function endOf({ world, journal }: CollectedWorld, { control, secrets, origin }: FormatterParts) {
  const worldControl = new WorldControl(control, world)
  return {
    services: Object.fromEntries(
      Object.entries(worldControl.info(origin).services).map(([name, { url }]) => [name, { url }]),
    ),
    options: optionsOf(worldControl, secrets),
    open: [...journal.openRecords()].map((record) => ({
      id: record.id,
      service: record.api.name,
      method: record.method,
      path: redactedPath(record, secrets.declared),
      at: formatTimestamp(record.at),
      ageMs: Math.round(monotonicTime() - record.startedAt),
      worldAgeMs: world.clock.now() - record.at,
    })),
    clock: worldControl.clock.view(),
    due: worldControl.clock.due(),
    machines: worldControl.transitions.list(),
    faults: worldControl.faults.list(),
    report: worldControl.report('markdown', secrets.declared),
  }
}

/** Returns the options of a world; tokens among them are secrets. */
function optionsOf(control: WorldControl, secrets: TraceSecrets): TracedWorld['options'] {
  return Object.fromEntries(
    Object.entries(control.options()).map(([service, options]) => [
      service,
      Object.fromEntries(
        Object.entries(options).map(([name, value]: [string, unknown]) => {
          const isSecret = /Token$/.test(name) && typeof value === 'string' && value !== ''
          return [name, isSecret ? secrets.declared(value) : value]
        }),
      ),
    ]),
  )
}

/** Matchers of faults by the id of the fault. */
type FaultMatchers = ReadonlyMap<string, Matcher>

function matchersOf(faults: readonly Fault[], secrets: TraceSecrets): FaultMatchers {
  return new Map(
    faults.flatMap(({ id, match }) =>
      match === undefined ? [] : [[id, matcherOf(match, secrets.undeclared)]],
    ),
  )
}

/** Returns the faults that one property of a request kept from applying. */
function nearMissesOf(record: RequestRecord, matchers: FaultMatchers): readonly FaultNearMiss[] {
  return [...matchers].flatMap(([fault, matcher]) => {
    const differences = matcher.differences(record)
    return differences.length === 1 ? [{ fault, request: record.id, distance: 1, differences }] : []
  })
}
