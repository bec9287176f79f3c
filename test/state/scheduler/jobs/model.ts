import fc from 'fast-check'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { activeDeployment } from '../../../../state/scheduler/cluster/deployments/deployments.ts'
import { decodeBody } from '../../../../state/scheduler/decoding.ts'
import { lastIndex } from '../../../../state/scheduler/indexes.ts'
import { dispatchJob, forceLaunch } from '../../../../state/scheduler/jobs/launches.ts'
import {
  dispatchShape,
  revertShape,
  scaleShape,
  stableShape,
} from '../../../../state/scheduler/jobs/request-shapes.ts'
import { scaleJob } from '../../../../state/scheduler/jobs/scale.ts'
import { stopJob } from '../../../../state/scheduler/jobs/stop.ts'
import { markStable, revertJob } from '../../../../state/scheduler/jobs/versions.ts'
import { anyCaller, inputJob, register } from './support.ts'

const minute = 60_000
/** Milliseconds between two launches of `cron`. */
export const period = 5 * minute

/** One job of each kind. */
const kinds = {
  service: {},
  batch: { Type: 'batch' },
  form: { Type: 'batch', ParameterizedJob: {} },
  cron: { Type: 'batch', Periodic: { Spec: '*/5 * * * *' } },
} as const
/** Names of the jobs. */
export type Id = keyof typeof kinds
export const ids = Object.keys(kinds) as readonly Id[]

/** Expected state of a version. */
export interface Version {
  readonly version: number
  readonly priority: number
  readonly count: number
  readonly stop: boolean
  readonly stable: boolean
}

/** Expected state of a job. */
interface Known {
  readonly createIndex: number
  jobModifyIndex: number
  /** Retained versions, highest first; the first is the current one. */
  versions: Version[]
  /** Retained sources by version. */
  sources: Map<number, string>
}

export interface Model {
  readonly jobs: Map<Id, Known>
  /** IDs of children by parent. Children outlive a purge of their parent. */
  readonly children: Map<Id, Set<string>>
  readonly tokens: Map<string, string>
  /** ModifyIndex of each job at the last check. */
  readonly seen: Map<string, number>
  /** Purged parents, whose counters start again at 0 although their children live. */
  readonly purged: Set<Id>
  /** Number of purged children by parent. Purged children count as dead. */
  readonly purgedChildren: Map<Id, number>
}

/** Expected effect of an operation; `written` means a commit of its own. */
export type Outcome = 'refused' | 'nothing' | 'written'

/** Operation of a client. */
export interface Operation {
  readonly name: string
  /** Returns a description for the report of a failure. */
  toString(): string
  /**
   * Applies the operation to the model. Returns how to apply it to the world, and the expected
   * outcome.
   */
  run(
    world: World,
    model: Model,
  ): { act: () => unknown; outcome: Outcome; afterwards?: (reply: unknown) => void }
}

/** Returns the current version of a job. */
export const current = (model: Model, id: Id) => model.jobs.get(id)?.versions[0]

/** Adds a new version to the model, by the rules of behaviour/scheduler#versions. */
function commit(
  world: World,
  model: Model,
  id: Id,
  next: Omit<Version, 'version'>,
  { source }: { source?: string | undefined },
): void {
  const index = lastIndex(world) + 1
  const known: Known = model.jobs.get(id) ?? {
    createIndex: index,
    jobModifyIndex: index,
    versions: [],
    sources: new Map(),
  }
  const last = known.versions[0]?.version
  const version = last === undefined ? 0 : last + 1
  const versions = [{ ...next, version }, ...known.versions]
  if (versions.length > 6) {
    const newestStable = versions.findIndex(({ stable }) => stable)
    versions.splice(newestStable === 6 ? 5 : 6, 1)
  }
  known.jobModifyIndex = index
  known.versions = versions
  if (source !== undefined) {
    known.sources.set(version, source)
    const kept = [...known.sources.keys()].sort((a, b) => b - a).slice(0, 6)
    known.sources = new Map([...known.sources].filter(([key]) => kept.includes(key)))
  }
  model.jobs.set(id, known)
}

const isSame = (a: Version | undefined, b: Omit<Version, 'version'>) =>
  a !== undefined && a.priority === b.priority && a.count === b.count && a.stop === b.stop

const isLauncher = (id: Id) => id === 'form' || id === 'cron'

// Most operations are about one job, so that this job gets many versions.
const anId = fc.constantFrom<Id>('service', 'service', 'service', ...ids)

const registers = fc
  .record({
    id: anId,
    priority: fc.constantFrom(50, 60, 70),
    count: fc.constantFrom(1, 2),
    stop: fc.constantFrom(false, false, false, true),
    sent: fc.constantFrom(0, 0, 0, 3, 12),
    source: fc.option(fc.constantFrom('one', 'two'), { nil: undefined }),
    enforce: fc.constantFrom('no', 'no', 'new', 'right', 'wrong'),
  })
  .map((row): Operation => {
    const { id, priority, count, stop, sent, source, enforce } = row
    return {
      name: `register ${JSON.stringify(row)}`,
      run(world, model) {
        const known = model.jobs.get(id)
        const index = { no: 0, new: 0, right: known?.jobModifyIndex ?? 0, wrong: 5 }[enforce]
        const task = { Name: 'main', Driver: 'docker', Config: { image: 'web:1' } }
        const body = inputJob({
          ID: id,
          ...kinds[id],
          Priority: priority,
          Stop: stop,
          Version: sent,
          TaskGroups: [{ Name: 'app', Count: count, Tasks: [task] }],
        })
        const more = {
          EnforceIndex: enforce !== 'no',
          JobModifyIndex: index,
          ...(source === undefined ? {} : { Submission: { Format: 'json', Source: source } }),
        }
        const act = () => register(world, body, more)
        if (enforce !== 'no' && index !== (known?.jobModifyIndex ?? 0)) {
          return { act, outcome: 'refused' }
        }
        const next = { priority, count, stop, stable: false }
        if (isSame(known?.versions[0], next)) {
          return { act, outcome: isLauncher(id) ? 'nothing' : 'written' }
        }
        commit(world, model, id, next, { source })
        return { act, outcome: 'written' }
      },
    }
  })

const stops = fc.record({ id: anId, purge: fc.constantFrom(false, false, false, true) }).map(
  ({ id, purge }): Operation => ({
    name: `stop ${id}, purge ${purge}`,
    run(world, model) {
      const act = () => stopJob(world, 'default', id, { purge })
      const last = current(model, id)
      if (last === undefined) return { act, outcome: 'nothing' }
      if (purge) {
        model.jobs.delete(id)
        model.seen.delete(id)
        model.purged.add(id)
      } else {
        const source = model.jobs.get(id)?.sources.get(last.version)
        commit(world, model, id, { ...last, stop: true }, { source })
      }
      return { act, outcome: 'written' }
    },
  }),
)

const reverts = fc.record({ id: anId, back: fc.integer({ min: 0, max: 7 }) }).map(
  ({ id, back }): Operation => ({
    name: `revert ${id} by ${back}`,
    run(world, model) {
      const last = current(model, id)
      const to = Math.max(0, (last?.version ?? 0) - back)
      const body = { JobID: id, JobVersion: to }
      const act = () =>
        revertJob(world, 'default', id, decodeBody(JSON.stringify(body), revertShape), anyCaller)
      const target = model.jobs.get(id)?.versions.find(({ version }) => version === to)
      if (target === undefined || target === last) return { act, outcome: 'refused' }
      if (isSame(last, target)) return { act, outcome: isLauncher(id) ? 'nothing' : 'written' }
      const source = model.jobs.get(id)?.sources.get(to)
      commit(world, model, id, { ...target, stable: false }, { source })
      return { act, outcome: 'written' }
    },
  }),
)

const stables = fc
  .record({ id: anId, back: fc.integer({ min: 0, max: 7 }), stable: fc.boolean() })
  .map(
    ({ id, back, stable }): Operation => ({
      name: `stable ${id} by ${back}: ${stable}`,
      run(world, model) {
        const to = Math.max(0, (current(model, id)?.version ?? 0) - back)
        const body = { JobID: id, JobVersion: to, Stable: stable }
        const act = () =>
          markStable(world, 'default', id, decodeBody(JSON.stringify(body), stableShape))
        const known = model.jobs.get(id)
        const target = known?.versions.find(({ version }) => version === to)
        if (known === undefined || target === undefined) return { act, outcome: 'refused' }
        if (target.stable === stable) return { act, outcome: 'nothing' }
        known.versions = known.versions.map((each) =>
          each === target ? { ...each, stable } : each,
        )
        return { act, outcome: 'written' }
      },
    }),
  )

const scales = fc.record({ id: anId, count: fc.integer({ min: 0, max: 3 }) }).map(
  ({ id, count }): Operation => ({
    name: `scale ${id} to ${count}`,
    run(world, model) {
      const body = JSON.stringify({ Count: count, Target: { Group: 'app' } })
      const act = () => scaleJob(world, 'default', id, decodeBody(body, scaleShape))
      const last = current(model, id)
      const deployment = activeDeployment(world, 'default', id)
      if (last === undefined || deployment !== undefined) return { act, outcome: 'refused' }
      const source = model.jobs.get(id)?.sources.get(last.version)
      commit(world, model, id, { ...last, count }, { source })
      return { act, outcome: 'written' }
    },
  }),
)

const dispatches = fc.constantFrom('', '', 'token').map(
  (token): Operation => ({
    name: `dispatch ${token}`,
    run(world, model) {
      const act = () =>
        dispatchJob(world, 'default', 'form', decodeBody('{}', dispatchShape), {
          idempotencyToken: token,
        })
      const form = current(model, 'form')
      if (form === undefined || form.stop) return { act, outcome: 'refused' }
      const earlier = model.tokens.get(token)
      if (earlier !== undefined) return { act, outcome: 'nothing' }
      return {
        act,
        outcome: 'written',
        afterwards: (reply) => {
          const { DispatchedJobID } = reply as { DispatchedJobID: string }
          model.children.get('form')?.add(DispatchedJobID)
          if (token !== '') model.tokens.set(token, DispatchedJobID)
        },
      }
    },
  }),
)

const childPurges = fc.constantFrom<Id>('form', 'cron').map(
  (parent): Operation => ({
    name: `purge a child of ${parent}`,
    run(world, model) {
      const [id = ''] = model.children.get(parent) ?? []
      const act = () => stopJob(world, 'default', id, { purge: true })
      if (id === '') return { act, outcome: 'nothing' }
      model.children.get(parent)?.delete(id)
      model.seen.delete(id)
      if (model.tokens.get('token') === id) model.tokens.delete('token')
      if (model.jobs.has(parent)) {
        model.purgedChildren.set(parent, (model.purgedChildren.get(parent) ?? 0) + 1)
      }
      return { act, outcome: 'written' }
    },
  }),
)

const forces = fc.constant<Operation>({
  name: 'force cron',
  run(world, model) {
    const act = () => forceLaunch(world, 'default', 'cron')
    const cron = current(model, 'cron')
    if (cron === undefined || cron.stop) return { act, outcome: 'refused' }
    const seconds = Math.floor(world.clock.now() / 1000)
    model.children.get('cron')?.add(`cron/periodic-${seconds}`)
    return { act, outcome: 'written' }
  },
})

const anOperation = fc.oneof(
  { weight: 8, arbitrary: registers },
  { weight: 2, arbitrary: stops },
  { weight: 2, arbitrary: reverts },
  { weight: 2, arbitrary: stables },
  { weight: 2, arbitrary: scales },
  { weight: 2, arbitrary: dispatches },
  { weight: 1, arbitrary: forces },
  { weight: 1, arbitrary: childPurges },
)

/** An operation, or a number of milliseconds to pass. */
export const aStep = fc.oneof(
  {
    weight: 4,
    arbitrary: anOperation.map((step): Operation => ({ ...step, toString: () => step.name })),
  },
  { weight: 1, arbitrary: fc.constantFrom(100, 5000, minute, 7 * minute) },
)

/** Returns the model of a fresh world. */
export function emptyModel(): Model {
  return {
    jobs: new Map(),
    children: new Map(ids.map((id) => [id, new Set()])),
    tokens: new Map(),
    seen: new Map(),
    purged: new Set(),
    purgedChildren: new Map(),
  }
}
