import { formatTimestamp, monotonicTime, wallClock } from '../../state/kernel/time.ts'
import type { ControlDependencies } from '../control/worlds/control-dependencies.ts'
import { explain } from '../explain/explanation.ts'
import { entryOf, redactedPath } from '../journal/entry.ts'
import { sentToken } from '../journal/record-values.ts'
import type { CollectedStep, CollectedWorld } from './collected.ts'
import { NearMissFinder } from './collected-faults.ts'
import type { PackedChange, PackedStep, PackedWorld } from './packed.ts'
import { RowFormatter } from './row-formatter.ts'
import type { TraceSecrets } from './secrets.ts'
import type { RequestStep, TracedWorld } from './trace.ts'
import type { Turns } from './turns.ts'
import { readWorldEnd, type WorldEnd } from './world-end.ts'

/** Dependencies that the worlds of a trace share. */
export interface FormatterContext {
  readonly control: ControlDependencies
  readonly secrets: TraceSecrets
  readonly turns: Turns
  /** Scheme and host of the service URLs in the trace. */
  readonly origin: string
  /** Returns the milliseconds from the start of the run to a time on the monotonic clock. */
  sinceStart(time: number): number
}

/**
 * Formats one world with pauses, and adds its declared secrets to `context.secrets`. The result may
 * still contain these secrets in members that are not declared as secret.
 */
export async function formatWorld(
  collected: CollectedWorld,
  context: FormatterContext,
): Promise<PackedWorld> {
  const { world, isDeleted, missing } = collected
  const { secrets, turns, sinceStart } = context
  // The world is read in one turn of the event loop, so that all of its data belong to one moment.
  const collectedSteps = [...collected.steps]
  const { open, options, report, ...end } =
    collected.end ?? readWorldEnd(world, context.control, context.origin)
  const nearMisses = new NearMissFinder(secrets)
  await turns.pause()
  const rows = new RowFormatter(world, secrets)
  const start = await turns.run(rows.state(collected.start))
  const steps: PackedStep[] = []
  for (const step of collectedSteps) {
    steps.push(await turns.run(formatStep(step, rows, nearMisses, context)))
  }
  return {
    id: world.id,
    madeAt: sinceStart(monotonicTime() - (wallClock() - world.createdAt)),
    ...(world.origin === undefined ? {} : { from: { id: world.origin } }),
    deleted: isDeleted,
    start,
    steps,
    missing,
    ...end,
    options: optionsOf(options, secrets),
    open: open.map(({ record, ...age }) => ({
      id: record.id,
      service: record.api.name,
      method: record.method,
      path: redactedPath(record, secrets.rememberAndFingerprint),
      at: formatTimestamp(record.at),
      ...age,
    })),
    report: await turns.run(report(secrets.rememberAndFingerprint)),
  }
}

/** Formats a step, and yields between the changes or rows of a large step. */
function* formatStep(
  step: CollectedStep,
  rows: RowFormatter,
  nearMisses: NearMissFinder,
  { secrets, sinceStart }: FormatterContext,
): Generator<void, PackedStep, undefined> {
  yield
  const at = formatTimestamp(step.at)
  const ms = sinceStart(step.time)
  switch (step.kind) {
    case 'request':
      return {
        kind: 'request',
        ms,
        at,
        ...requestOf(step, nearMisses, secrets),
        round: step.round,
      }
    case 'changes': {
      const changes: PackedChange[] = []
      for (const change of step.changes) {
        changes.push(rows.change(change))
        yield
      }
      const { record } = step
      return { kind: 'changes', ms, at, ...(record && { request: record.id }), changes }
    }
    case 'replaced':
      return { kind: 'replaced', ms, at, cause: step.cause, state: yield* rows.state(step.state) }
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
  { record, faults }: Extract<CollectedStep, { kind: 'request' }>,
  finder: NearMissFinder,
  secrets: TraceSecrets,
): Pick<RequestStep, 'entry' | 'faults' | 'nearMisses' | 'explanation'> {
  // All values of an unknown request are hidden, but not remembered as secrets, because only some
  // of them are secret.
  const isUnknown = record.operation === undefined && record.api.hidesUnroutedRequests === true
  const fingerprint = isUnknown ? secrets.fingerprint : secrets.rememberAndFingerprint
  secrets.add(sentToken(record))
  const entry = entryOf(record, fingerprint)
  return {
    entry,
    faults: record.faults,
    nearMisses: finder.find(record, faults),
    ...(entry.outcome === 'served' ? {} : { explanation: explain(record, fingerprint) }),
  }
}

/** Returns the options of a world, with tokens replaced by fingerprints. */
function optionsOf(all: WorldEnd['options'], secrets: TraceSecrets): TracedWorld['options'] {
  return Object.fromEntries(
    Object.entries(all).map(([service, options]) => [
      service,
      Object.fromEntries(
        Object.entries(options).map(([name, value]: [string, unknown]) => {
          const isSecret = /Token$/.test(name) && typeof value === 'string' && value !== ''
          return [name, isSecret ? secrets.rememberAndFingerprint(value) : value]
        }),
      ),
    ]),
  )
}
