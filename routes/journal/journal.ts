import { controlOptions } from '../../state/kernel/options/control-options.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import type { StoreSnapshot } from '../../state/kernel/store/open-table.ts'
import { pastWorld } from '../../state/kernel/worlds/past-world.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { WorldCheckpoint, WorldSnapshot } from '../../state/kernel/worlds/world-snapshot.ts'
import {
  type AppliedFault,
  type JournaledApi,
  type LoggedRequest,
  type RequestHead,
  RequestRecord,
  type WorldRecords,
} from '../http/journal-hooks/request-record.ts'
import { type RequestRecorder, requestIdHeader } from '../http/journal-hooks/request-recording.ts'
import { Counters } from './counters.ts'
import { loggedRequestOf } from './logged-request.ts'
import { Marks } from './marks.ts'
import { retainedBody } from './retained-body.ts'
import { UnjournaledRequests } from './unjournaled-requests.ts'

/**
 * Cache that gives requests with equal headers one shared object. Separate header objects would
 * survive garbage collections; for a small request, these objects would cost more time than the
 * comparison of headers does.
 */
class HeaderDeduplicator<H extends Headers> {
  #lastHeaders: H | undefined

  /**
   * Returns the headers, or the headers of the preceding request if the two differ at most in the
   * header `exceptName`.
   */
  deduplicate(headers: H, exceptName?: string): H {
    if (this.#lastHeaders === undefined || !haveSameValues(headers, this.#lastHeaders, exceptName))
      this.#lastHeaders = headers
    return this.#lastHeaders
  }
}

type Headers = Readonly<Record<string, unknown>>

function haveSameValues(one: Headers, other: Headers, exceptName: string | undefined): boolean {
  let count = 0
  for (const name in one) {
    if (one[name] !== other[name] && name !== exceptName) return false
    count += 1
  }
  for (const _ in other) count -= 1
  return count === 0
}

/**
 * The requests to one world, in the order of their answers. The oldest requests are dropped
 * (behaviour/program#journal).
 */
export class Journal implements WorldRecords {
  readonly world: World
  /** Buffer of retained records. Once the buffer is full, it is used as a ring. */
  #records: RequestRecord[] = []
  /** Position of the oldest record in `#records`. */
  #oldestIndex = 0
  #droppedCount = 0
  #lastNumber = 0
  readonly #followers = new Set<(record: RequestRecord) => void>()
  readonly #faultFollowers = new Set<(fault: AppliedFault) => void>()
  readonly #clearingFollowers = new Set<() => void>()
  #completed = 0
  readonly #requestHeaders = new HeaderDeduplicator<RequestRecord['headers']>()
  readonly #responseHeaders = new HeaderDeduplicator<RequestRecord['responseHeaders']>()

  readonly #openRecords = new Set<RequestRecord>()
  /**
   * Latest result of `worldAfter`, reused for records with the same state, such as consecutive
   * refused requests.
   */
  #lastPastWorld:
    | { readonly checkpoint: WorldCheckpoint['store']; readonly world: World }
    | undefined

  #beginningCheckpoint: WorldCheckpoint
  readonly counters = new Counters()
  readonly marks: Marks
  #restartCount = 0
  readonly #processCounters: Counters

  /**
   * @param processCounters counters of all worlds
   */
  constructor(world: World, processCounters: Counters) {
    this.world = world
    this.#processCounters = processCounters
    this.marks = new Marks(world)
    this.#beginningCheckpoint = world.checkpoint()
  }

  /** Opens the record of a request that has arrived, with the next id. */
  open(api: JournaledApi, head: RequestHead): RequestRecord {
    this.#lastNumber += 1
    const record = new RequestRecord(this.#lastNumber, this.world, api, head, this)
    this.#openRecords.add(record)
    return record
  }

  /**
   * Adds a request that was answered or aborted: counts it, keeps it with a checkpoint of the
   * state, drops the oldest requests beyond the size of the journal, and notifies followers.
   */
  add(record: RequestRecord): void {
    this.#openRecords.delete(record)
    this.#completed += 1
    this.counters.count(record)
    this.#processCounters.count(record)
    const { journalSize, journalBodies } = this.world.options(controlOptions)
    record.body = journalBodies ? retainedBody(record.body) : undefined
    record.responseBody = journalBodies ? retainedBody(record.responseBody) : undefined
    record.headers = this.#requestHeaders.deduplicate(record.headers)
    record.responseHeaders = this.#responseHeaders.deduplicate(
      record.responseHeaders,
      requestIdHeader,
    )
    if (this.#records.length > journalSize) this.#shrink(journalSize)
    if (journalSize > 0) {
      record.checkpoint = this.world.checkpoint()
      if (this.#records.length < journalSize) {
        if (this.#oldestIndex > 0) this.#linearize()
        this.#records.push(record)
      } else {
        this.#records[this.#oldestIndex] = record
        this.#oldestIndex = (this.#oldestIndex + 1) % journalSize
        this.#countDropped(1)
      }
    }
    for (const listener of this.#followers) listener(record)
  }

  /** Yields the retained requests, oldest first. */
  *records(): Generator<RequestRecord, void, undefined> {
    const { length } = this.#records
    for (let at = 0; at < length; at += 1) {
      const record = this.#records[(this.#oldestIndex + at) % length]
      if (record !== undefined) yield record
    }
  }

  worldAfter({ checkpoint, at }: RequestRecord): World {
    // Without a checkpoint, the request is still open, or the journal keeps no requests.
    if (checkpoint === undefined) return this.world
    if (this.#lastPastWorld?.checkpoint !== checkpoint.store) {
      this.#lastPastWorld = {
        checkpoint: checkpoint.store,
        world: pastWorld(this.world, checkpoint, at),
      }
    }
    this.#lastPastWorld.world.clock.state = { mode: 'frozen', at }
    return this.#lastPastWorld.world
  }

  /** Returns the requests that have no answer yet, oldest first. */
  openRecords(): Iterable<RequestRecord> {
    return this.#openRecords
  }

  /** Number of requests that were answered or aborted since the journal was created. */
  get completed(): number {
    return this.#completed
  }

  /** Number of retained requests. */
  get size(): number {
    return this.#records.length
  }

  /** Number of requests that the ring buffer has dropped since the journal was cleared. */
  get dropped(): number {
    return this.#droppedCount
  }

  /**
   * Returns a retained request by its id. Throws an `absent` refusal for an unknown id, and a
   * `GoneRefusal` if the request was dropped or has no answer yet.
   */
  record(id: string): RequestRecord {
    for (const record of this.records()) if (record.id === id) return record
    const number = /^r([1-9]\d*)$/.exec(id)?.[1]
    if (number === undefined || Number(number) > this.#lastNumber) {
      throw new Refusal('absent', `there is no request "${id}"`)
    }
    throw new GoneRefusal(`the journal has no request "${id}" any more`)
  }

  /** Returns the state right after a request was answered. Throws the refusals of `record`. */
  stateAt(id: string): WorldSnapshot {
    const { checkpoint = this.world.checkpoint() } = this.record(id)
    return this.world.at(checkpoint)
  }

  /**
   * Returns the state right before a request: the state after the preceding request, or the state
   * in which the journal began. Throws the refusals of `record`, and a `GoneRefusal` if the
   * preceding request was dropped.
   */
  stateBefore(id: string): WorldSnapshot {
    const { number } = this.record(id)
    let before: RequestRecord | undefined
    for (const record of this.records()) {
      if (record.number === number) break
      before = record
    }
    if (before !== undefined) return this.stateAt(before.id)
    if (this.#droppedCount === 0) return this.world.at(this.#beginningCheckpoint)
    throw new GoneRefusal(`the journal has no request before "${id}" any more`)
  }

  /** The state before the first request, or the state in which the journal was last cleared. */
  get beginning(): StoreSnapshot {
    return this.world.at(this.#beginningCheckpoint).store
  }

  /**
   * Removes all requests and marks, makes the current state the beginning of the journal, and
   * notifies followers. The numbering continues.
   */
  clear(): void {
    this.#records = []
    this.#oldestIndex = 0
    this.#droppedCount = 0
    this.marks.clear()
    this.#beginningCheckpoint = this.world.checkpoint()
    for (const listener of this.#clearingFollowers) listener()
  }

  /** Clears the journal as `clear` does, and restarts the numbering. */
  restart(): void {
    this.#restartCount += 1
    this.clear()
    this.#lastNumber = 0
  }

  /** Number of times that the numbering was restarted. */
  get restartCount(): number {
    return this.#restartCount
  }

  recordAppliedFault(fault: AppliedFault, kind: string): void {
    for (const listener of this.#faultFollowers) listener(fault)
    this.counters.countFault(kind)
    this.#processCounters.countFault(kind)
  }

  /**
   * Calls the listener with each request that is answered or aborted from now on. Returns a
   * function that unsubscribes.
   */
  follow(listener: (record: RequestRecord) => void): () => void {
    this.#followers.add(listener)
    return () => this.#followers.delete(listener)
  }

  followLog(listener: (request: LoggedRequest) => void): () => void {
    return this.follow((record) => listener(loggedRequestOf(record)))
  }

  /** Calls the listener each time the journal is cleared. Returns a function that unsubscribes. */
  followClearing(listener: () => void): () => void {
    this.#clearingFollowers.add(listener)
    return () => this.#clearingFollowers.delete(listener)
  }

  /**
   * Calls the listener with each fault when it is applied. Returns a function that unsubscribes.
   */
  followFaults(listener: (fault: AppliedFault) => void): () => void {
    this.#faultFollowers.add(listener)
    return () => this.#faultFollowers.delete(listener)
  }

  #shrink(size: number): void {
    this.#linearize()
    this.#countDropped(this.#records.length - size)
    this.#records = this.#records.slice(this.#records.length - size)
  }

  #countDropped(count: number): void {
    this.#droppedCount += count
    this.counters.dropped += count
    this.#processCounters.dropped += count
  }

  #linearize(): void {
    this.#records = [...this.records()]
    this.#oldestIndex = 0
  }
}

/**
 * Refusal for a request with a known id that the journal does not have: the request was dropped, or
 * it has no answer yet.
 */
export class GoneRefusal extends Refusal {
  constructor(text: string) {
    super('absent', text)
    this.name = 'GoneRefusal'
  }
}

/**
 * The journals of a process's worlds. Each journal is created on first access and is dropped with
 * its world.
 */
export class Journals implements RequestRecorder {
  readonly #byWorld = new WeakMap<World, Journal>()
  /** Counters of all worlds, including worlds that have ended. */
  readonly counters = new Counters()
  /** Requests that belong to no journal. */
  readonly unjournaledRequests = new UnjournaledRequests()

  of(world: World): Journal {
    const known = this.#byWorld.get(world)
    if (known !== undefined) return known
    const journal = new Journal(world, this.counters)
    this.#byWorld.set(world, journal)
    return journal
  }

  open(world: World, api: JournaledApi, head: RequestHead): RequestRecord {
    return this.of(world).open(api, head)
  }

  close(record: RequestRecord): void {
    this.of(record.world).add(record)
  }
}
