import fc from 'fast-check'
import { diffSnapshots } from '../../state/kernel/store/diff.ts'
import { isAllowedChange, isPartialBatch } from '../support/generated/allowed-changes.ts'
import { draftArbitrary, type GeneratedRequest } from '../support/generated/generated-requests.ts'
import { cpuTimeSince, currentSlowness } from './cpu-time.ts'
import { anyHostility, hostile } from './hostile.ts'
import type { FuzzReply, Target } from './target.ts'

/** Violation of a rule that every reply must obey. */
export interface Finding {
  readonly target: string
  readonly what: string
  readonly request: GeneratedRequest
  readonly answer: string
}

/** Number of requests to a target, their statuses and the violations found. */
export interface FuzzResult {
  readonly requests: number
  readonly statuses: ReadonlyMap<number, number>
  readonly findings: readonly Finding[]
  /** Highest CPU time of a request, in milliseconds. */
  readonly longest: number
  /** Megabytes of heap after each round; empty unless garbage can be collected on demand. */
  readonly heap: readonly number[]
}

/** Highest allowed CPU time of a request, in milliseconds; more on a slow machine. */
const longestBlock = 250
/**
 * Number of body characters that raise the limit by one millisecond. Parsing a document of four
 * million characters that are all tokens takes half a second.
 */
const charactersPerMillisecond = 6_000

/** Number of requests after which the journal is emptied and the heap is measured. */
const round = 2000

/** Number of requests after which the world is restored to its filled state. */
const batch = 50

const prototypes = [Object, Array, Function, String, Number, Map, Promise].map(
  ({ prototype }) => prototype as object,
)
const membersOf = () => prototypes.map((one) => Reflect.ownKeys(one).length).join()

/**
 * Sends random requests to a target, reproducibly by seed, until `requests` are sent or `stop`
 * returns true.
 */
export async function fuzz(
  target: Target,
  { requests, seed, stop }: { requests: number; seed: number; stop: () => boolean },
): Promise<FuzzResult> {
  const { maker, world } = target
  const findings: Finding[] = []
  const statuses = new Map<number, number>()
  const heap: number[] = []
  const members = membersOf()
  let longest = 0
  let asked = 0

  const found = (what: string, request: GeneratedRequest, answer = '') =>
    void findings.push({ target: target.name, what, request, answer: answer.slice(0, 2000) })

  async function answered(request: GeneratedRequest): Promise<FuzzReply | undefined> {
    const reply = target.send(request)
    for (const patience of [5000, 5000]) {
      const first = await within(patience, reply)
      if (first !== undefined) return first
      // The request may be a blocking read, which waits for the world's clock.
      world.advance(3_600_000)
    }
    found('never answered', request)
    return undefined
  }

  /**
   * Sends a request and measures how long it takes in milliseconds: its CPU time, or the elapsed
   * time if that is shorter because other threads also used the CPU.
   */
  async function measured(request: GeneratedRequest) {
    const [clock, cpu] = [performance.now(), process.cpuUsage()]
    const reply = await answered(request)
    return { reply, took: Math.min(performance.now() - clock, cpuTimeSince(cpu)) }
  }

  /**
   * Repeats a request and returns the shortest time of three. A single measurement may include
   * compilation, garbage collection or the work of other programs.
   */
  async function tookAgain(request: GeneratedRequest): Promise<number> {
    const times: number[] = []
    while (times.length < 3) times.push((await measured(request)).took)
    return Math.min(...times)
  }

  async function ask(request: GeneratedRequest): Promise<number> {
    world.runDueJobs()
    const before = world.snapshot()
    const { reply, took } = await measured(request)
    longest = Math.max(longest, took)
    asked += 1
    if (reply === undefined) return 0
    const { statusCode, body } = reply
    statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
    maker.remember(body.slice(0, 100_000))
    const faults = target.faults()
    if (faults.length > 0) found('an unexpected exception', request, faults.join('\n'))
    const limit = longestBlock + (request.payload?.length ?? 0) / charactersPerMillisecond
    if (took > limit && (await tookAgain(request)) > limit * currentSlowness()) {
      found(`took ${Math.round(took)} ms`, request, body)
    }
    if (statusCode < 400) return statusCode
    const isOurs = statusCode === 500 && (!target.isDeclared500 || /\binternal error\b/.test(body))
    if (isOurs) found('a 500', request, body)
    if (body !== '' && !target.isFailure(body, request))
      found('a failure in another form', request, body)
    const rows = diffSnapshots(before.store, world.snapshot().store).filter(
      (row) => !isAllowedChange(row),
    )
    if (rows.length > 0 && !isPartialBatch(reply)) {
      found(
        `refused, and changed ${rows.map(({ table, key }) => `${table} ${key}`)}`,
        request,
        body,
      )
    }
    return statusCode
  }

  const first = maker.samples()
  for (let next = first.next(0); next.done !== true; ) next = first.next(await ask(next.value))
  world.advance(60_000)
  const filled = world.snapshot()
  asked = 0

  while (asked < requests && !stop()) {
    // Start each batch from the filled world, because requests may seal it or delete its data.
    world.restore(filled)
    if (asked % round === 0) {
      target.forget()
      if (globalThis.gc !== undefined) {
        globalThis.gc()
        heap.push(Math.round(process.memoryUsage().heapUsed / 1e6))
      }
    }
    const drafts = fc.sample(fc.tuple(draftArbitrary, anyHostility), {
      seed: seed + asked,
      numRuns: batch,
    })
    for (const [draft, hostility] of drafts) await ask(hostile(maker.request(draft), hostility))
    world.advance(1000)
    if (membersOf() !== members) {
      found('a prototype was changed', { method: '', url: '', headers: {} })
      break
    }
  }
  return { requests: asked, statuses, findings, longest, heap }
}

/** Returns the result of the work, or undefined if it takes longer than the timeout. */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
