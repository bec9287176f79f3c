import { least } from '../../state/kernel/lists.ts'
import {
  formatTimestamp,
  monotonicTime,
  parseTimestamp,
  wallClock,
} from '../../state/kernel/time.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { ControlDependencies } from '../control/worlds/control-dependencies.ts'
import { WorldControl } from '../control/worlds/world-control.ts'
import { redactUrl } from '../http/redact-url.ts'
import type { CollectedWorld } from './collected.ts'
import { type TraceCollector, traceLimit } from './collector.ts'
import { collectFromJournal } from './journal-steps.ts'
import type { PackedStep, PackedTrace, PackedWorld } from './packed.ts'
import { TraceSecrets } from './secrets.ts'
import { SizeEstimator } from './size-estimate.ts'
import { dropRequests, type LimitedWorld } from './size-limit.ts'
import { type TracedRun, traceFormat } from './trace.ts'
import { Turns } from './turns.ts'
import { type FormatterContext, formatWorld } from './world-formatter.ts'

/** Dependencies of `buildTrace`. */
export interface TraceDependencies extends ControlDependencies {
  /**
   * Collector of the run. If the collector was not started, the trace is built from the journals.
   */
  readonly collector: TraceCollector
  /** Scheme and host of the combined listener; undefined while the listener is not open. */
  readonly origin?: string | undefined
  /** Secrets of the process that belong to no world, such as the token of the control plane. */
  readonly secrets?: readonly string[] | undefined
  /** Seed that was given to the process. */
  readonly seed?: string | undefined
}

/**
 * Builds the trace of a run. Secrets are hidden, unless `run` says that values are kept. While the
 * trace is built, the process serves requests.
 *
 * @param run circumstances of the run that the caller knows
 * @param worlds ids of the worlds to include; if left out, all worlds with requests or marks
 */
export async function buildTrace(
  dependencies: TraceDependencies,
  run: Partial<TracedRun> = {},
  worlds?: readonly string[],
): Promise<PackedTrace> {
  const { collector, describe, journals } = dependencies
  const { version, dialect } = describe()
  const keepsValues = run.keepsValues ?? false
  const secrets = new TraceSecrets(keepsValues, defaultTokensOf(dependencies))
  for (const secret of dependencies.secrets ?? []) secrets.add(secret)
  if (dependencies.seed !== undefined) secrets.addSeed(dependencies.seed)
  const turns = new Turns()
  const wallOffset = wallClock() - monotonicTime()
  const startedAt =
    parseTimestamp(run.startedAt ?? '') ??
    wallOffset + (collector.startedAt ?? monotonicTime() - processAge(dependencies))
  const formatterContext = {
    control: dependencies,
    secrets,
    turns,
    origin: dependencies.origin ?? 'http://localhost',
    sinceStart: (time: number) => roundToTenth(time + wallOffset - startedAt),
  }
  const packedWorlds: PackedWorld[] = []
  for (const collected of await collectedWorlds(dependencies, worlds, turns)) {
    secrets.add(seedOf(collected.world))
    packedWorlds.push(await formatWorld(collected, formatterContext))
  }
  const shownTarget = (target: string) => (keepsValues ? target : redactUrl(target))
  const addresses = run.addresses ?? addressesOf(dependencies, worlds)
  const trace = {
    format: traceFormat,
    version,
    run: {
      startedAt: formatTimestamp(Math.round(startedAt)),
      writtenAt: formatTimestamp(wallClock()),
      command: [],
      exitCode: null,
      flags: [],
      fixtures: [],
      dialect,
      ...run,
      addresses,
      keepsValues,
    },
    worlds: packedWorlds,
    unattributed: withTimeSinceStart(journals.unjournaledRequests.list(), formatterContext).map(
      (request) => {
        const { ms, kind, detail, method, target } = request
        return {
          ms,
          kind,
          detail,
          ...(method === undefined ? {} : { method }),
          ...(target === undefined ? {} : { path: shownTarget(target) }),
        }
      },
    ),
    controlCalls: withTimeSinceStart(
      journals.unjournaledRequests.controlCalls(),
      formatterContext,
    ).map((call) => {
      const { ms, method, target, status } = call
      return { ms, method, path: shownTarget(target), status }
    }),
  }
  return hideSecrets(trace, secrets, turns)
}

/**
 * Precision of the wall clock in milliseconds. The start of a run is only known to this precision.
 */
const clockPrecision = 1

/**
 * Returns the entries since the start of the run, each with the number of milliseconds since the
 * start. Entries from before the start are left out: if the run is a single test, the process also
 * has entries of earlier tests.
 */
function withTimeSinceStart<T extends { readonly time: number }>(
  entries: readonly T[],
  { sinceStart }: Pick<FormatterContext, 'sinceStart'>,
) {
  return entries.flatMap((entry) => {
    const ms = sinceStart(entry.time)
    return ms <= -clockPrecision ? [] : [{ ms: Math.max(0, ms), ...entry }]
  })
}

/**
 * Returns the collected data of the given worlds, in the order in which the worlds were created. If
 * the collector was not started, returns their data from the journals, without the requests that
 * exceed the size limit.
 */
async function collectedWorlds(
  { collector, worlds, journals }: TraceDependencies,
  ids: readonly string[] | undefined,
  turns: Turns,
): Promise<readonly CollectedWorld[]> {
  if (collector.startedAt !== undefined) return collector.worlds().filter(isIncluded(ids))
  const found: (CollectedWorld & LimitedWorld)[] = []
  const estimator = new SizeEstimator()
  for (const world of worlds.list()) {
    const journal = journals.of(world)
    const hasContent =
      journal.size > 0 || journal.marks.list().length > 0 || hasOpenRequests(journal)
    if (ids === undefined ? !hasContent : !ids.includes(world.id)) continue
    found.push(await collectFromJournal(journal, estimator, turns))
  }
  dropRequests(found, traceLimit(worlds), estimator)
  return found
}

function isIncluded(ids: readonly string[] | undefined) {
  return ({ world, steps, journal }: CollectedWorld): boolean =>
    ids?.includes(world.id) ??
    (steps.some(({ kind }) => kind === 'request' || kind === 'mark') || hasOpenRequests(journal))
}

function hasOpenRequests(journal: CollectedWorld['journal']): boolean {
  return [...journal.openRecords()].length > 0
}

/**
 * Number of nested levels whose members are processed one at a time, with a yield before each
 * member. The levels are states, tables and rows.
 */
const splitLevels = 3

/**
 * Returns a trace in which fingerprints replace all known secrets. Yields to other requests between
 * steps, because a trace can be large.
 */
async function hideSecrets(
  trace: PackedTrace,
  secrets: TraceSecrets,
  turns: Turns,
): Promise<PackedTrace> {
  const { worlds, ...rest } = trace
  const hidden: PackedWorld[] = []
  for (const { steps, ...world } of worlds) {
    const hiddenSteps: PackedStep[] = []
    for (const step of steps) {
      const levels = step.kind === 'request' ? 0 : splitLevels
      hiddenSteps.push(await turns.run(secrets.hideParts(step, levels)))
    }
    const hiddenWorld = await turns.run(secrets.hideParts(world, splitLevels))
    hidden.push({ ...hiddenWorld, steps: hiddenSteps })
  }
  const { format, version, run, unattributed, controlCalls } = secrets.hide(rest)
  return { format, version, run, worlds: hidden, unattributed, controlCalls }
}

/** Returns the tokens that every fresh world has. */
function defaultTokensOf({ worlds }: TraceDependencies): readonly string[] {
  return worlds.services.flatMap(({ options }) =>
    Object.entries(options.defaults).flatMap(([name, value]: [string, unknown]) =>
      name.endsWith('Token') && typeof value === 'string' ? [value] : [],
    ),
  )
}

/**
 * Returns the seed of a world. Returns undefined if the seed equals the world's id, which need not
 * be hidden.
 */
function seedOf({ id, seed }: World): string | undefined {
  return seed === id ? undefined : seed
}

/**
 * Returns the age of the oldest world in milliseconds, which approximates the age of the process.
 */
function processAge({ worlds }: TraceDependencies): number {
  return wallClock() - least(worlds.list().map(({ createdAt: madeAt }) => madeAt))
}

/**
 * Returns addresses by the names of their environment variables; empty while no listener is open.
 * The addresses are those of the only world in the trace, or of the default world if the trace is
 * not limited to one world.
 */
function addressesOf(
  dependencies: TraceDependencies,
  ids: readonly string[] = [],
): TracedRun['addresses'] {
  const { origin, worlds } = dependencies
  if (origin === undefined) return {}
  const [only, ...others] = ids.map((id) => worlds.find(id))
  const world = others.length === 0 ? only : undefined
  const variables = new WorldControl(dependencies, world ?? worlds.default).env(origin)
  return Object.fromEntries(
    Object.entries(variables).filter(([, value]) => /^https?:\/\//.test(value)),
  )
}

function roundToTenth(milliseconds: number): number {
  const rounded = Math.round(milliseconds * 10) / 10
  // JSON has no negative zero.
  return rounded === 0 ? 0 : rounded
}
