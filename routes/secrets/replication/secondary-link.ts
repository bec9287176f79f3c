import type { Row } from '../../../state/kernel/store/table.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  applyCommit,
  applySnapshot,
  resumeStream,
} from '../../../state/secrets/replication/apply.ts'
import { dropArrivals } from '../../../state/secrets/replication/arrivals.ts'
import type { ReplicationMessage } from '../../../state/secrets/replication/feed.ts'
import {
  changeSecondary,
  drReplication,
  type PrimaryLink,
  replicationRow,
  replications,
} from '../../../state/secrets/replication/modes.ts'
import {
  isSevered,
  primaryLinkId,
  severedLinks,
} from '../../../state/secrets/replication/secondaries.ts'
import type { ConnectionState, Connections } from '../../../state/secrets/replication/status.ts'
import { nodes } from '../../../state/secrets/seal/node-machine.ts'
import { isSealed } from '../../../state/secrets/seal/seal.ts'
import { Signal } from '../../http/blocking/signal.ts'
import type { PrimaryPeer } from './primary-peer.ts'

/**
 * Receiver that applies the messages of a primary to the secondary's world. A snapshot is applied
 * only when it is complete.
 */
class SnapshotReceiver {
  readonly #world: World
  #tables: Map<string, Map<string, Row>> | undefined
  #scheduledJobs: Extract<ReplicationMessage, { kind: 'appointments' }>['appointments'] = []
  /** Id of the primary's change feed to which the messages belong. */
  feed = ''

  constructor(world: World) {
    this.#world = world
  }

  receive(message: ReplicationMessage): void {
    if (message.kind === 'heartbeat') return
    if (message.kind === 'hello') this.#begin(message)
    else if (this.feed === '') throw new Error('the primary did not introduce itself')
    else if (message.kind === 'complete') this.#end(message)
    else if (message.kind === 'commit') applyCommit(this.#world, message)
    else if (this.#tables === undefined) throw new Error('the primary sent a snapshot unasked')
    else if (message.kind === 'appointments') this.#scheduledJobs = message.appointments
    else {
      const rows = this.#tables.get(message.table) ?? new Map<string, Row>()
      for (const [key, row] of message.rows) rows.set(key, row)
      this.#tables.set(message.table, rows)
    }
  }

  #begin({ cluster_id, feed, snapshot }: Extract<ReplicationMessage, { kind: 'hello' }>): void {
    if (cluster_id !== replicationRow(this.#world)?.cluster_id) {
      throw new Error('the primary belongs to another replication cluster')
    }
    this.feed = feed
    this.#tables = snapshot ? new Map() : undefined
    if (snapshot) changeSecondary(this.#world, { state: 'merkle-sync', position: null })
  }

  #end(at: Extract<ReplicationMessage, { kind: 'complete' }>): void {
    const tables = this.#tables
    this.#tables = undefined
    if (tables === undefined) resumeStream(this.#world, at)
    else applySnapshot(this.#world, { tables, appointments: this.#scheduledJobs }, at)
  }
}

/** Minimum delay between two attempts to connect, in milliseconds of real time. */
const minRetryDelay = 50

/** Maximum delay between two attempts to connect, in milliseconds of real time. */
const maxRetryDelay = 1_000

/** The parts of the process that a link needs. */
interface LinkSettings {
  /** Returns the peer through which the link's primary can currently be reached. */
  readonly connect: (primary: PrimaryLink) => PrimaryPeer
  /** Returns the Merkle root of the secondary. */
  readonly root: () => string
  /** Reports the reason why a connection ended unexpectedly. */
  readonly onFailure: (reason: Error) => void
}

/**
 * The link of a secondary to its primary. As long as the world follows a primary, the link
 * connects, applies the primary's commits, and reconnects after a failure. The link depends on the
 * network, not on the world's clock.
 */
export class SecondaryLink {
  readonly #world: World
  readonly #settings: LinkSettings
  readonly #signal = new Signal()
  #state: ConnectionState = 'connecting'
  #lastHeartbeat: number | null = null
  #failure: string | undefined
  #position: { readonly feed: string; readonly epoch: number } | undefined
  #target = ''
  #connection: { readonly epoch: number; readonly abort: AbortController } | undefined

  constructor(world: World, settings: LinkSettings) {
    this.#world = world
    this.#settings = settings
  }

  status(): Connections['primary'] {
    return {
      connected: this.#state === 'ready',
      connection_state: this.#state,
      last_heartbeat: this.#lastHeartbeat,
    }
  }

  /** Runs the link. Resolves when the world no longer follows a primary or is closed. */
  async run(): Promise<void> {
    const { watchers } = this.#world.store
    const stopWatching = [
      watchers.watchKey(replications.id, drReplication, this.#onChange),
      watchers.watchPrefix(severedLinks.id, primaryLinkId, this.#onChange),
      watchers.watchPrefix(nodes.id, '', this.#onChange),
    ]
    let retryDelay = minRetryDelay
    try {
      for (let primary = this.#primary(); primary !== null; primary = this.#primary()) {
        if (this.#canConnect()) {
          const isReached = await this.#follow(primary)
          retryDelay = isReached ? minRetryDelay : Math.min(2 * retryDelay, maxRetryDelay)
          await this.#pause(primary, retryDelay)
        } else {
          this.#state = isSealed(this.#world) ? 'shutdown' : 'transient_failure'
          await this.#signal.wait()
        }
      }
    } finally {
      for (const stop of stopWatching) stop()
    }
  }

  /** Returns the primary to follow; null if there is none. */
  #primary(): PrimaryLink | null {
    const row = replicationRow(this.#world)
    return row?.mode === 'secondary' && !this.#world.closed ? row.primary : null
  }

  #canConnect(): boolean {
    return !isSealed(this.#world) && !isSevered(this.#world, primaryLinkId)
  }

  /**
   * Wakes the link if it is waiting. Ends the connection if it no longer matches the state of the
   * world.
   */
  readonly #onChange = (): void => {
    const current = this.#connection
    if (current === undefined) {
      this.#signal.notify()
      return
    }
    const isCurrent =
      this.#target === targetOf(this.#primary()) &&
      current.epoch === this.#world.store.feed.epoch &&
      this.#canConnect()
    if (!isCurrent) current.abort.abort()
  }

  /**
   * Waits for at most `timeout` milliseconds before the next attempt. The wait ends early if a
   * change on the primary or in this world affects the link.
   */
  async #pause(primary: PrimaryLink, timeout: number): Promise<void> {
    if (targetOf(this.#primary()) !== targetOf(primary) || !this.#canConnect()) return
    const stop = this.#settings.connect(primary).onChange?.(this.#signal.notify)
    await this.#signal.wait(timeout)
    stop?.()
  }

  /**
   * Runs one connection until it ends, and reports a failure. Resolves to true if the primary sent
   * a message.
   */
  async #follow(primary: PrimaryLink): Promise<boolean> {
    const abort = new AbortController()
    const target = targetOf(primary)
    // Attempts after a failure do not change the state to `connecting`.
    if (this.#target !== target || this.#state !== 'transient_failure') this.#state = 'connecting'
    this.#target = target
    this.#connection = { epoch: this.#world.store.feed.epoch, abort }
    try {
      await this.#receive(primary, abort.signal)
      if (!abort.signal.aborted) throw new Error('the primary ended the connection')
    } catch (error) {
      if (!abort.signal.aborted && !this.#world.closed) this.#reportFailure(errorOf(error))
    } finally {
      this.#connection = undefined
      // After every connection, end the stream and discard copied data that were not yet applied.
      abort.abort()
      if (!this.#world.closed) dropArrivals(this.#world)
    }
    const isReached = this.status().connected
    this.#state = 'transient_failure'
    return isReached
  }

  /** Reports a failure, unless the previous failure had the same message. */
  #reportFailure(reason: Error): void {
    if (reason.message !== this.#failure) this.#settings.onFailure(reason)
    this.#failure = reason.message
  }

  async #receive(primary: PrimaryLink, signal: AbortSignal): Promise<void> {
    const world = this.#world
    const { epoch } = world.store.feed
    const receiver = new SnapshotReceiver(world)
    const request = {
      credential: primary.credential,
      position: this.#resumePosition(),
      root: this.#settings.root(),
    }
    for await (const message of this.#settings.connect(primary).stream(request, signal)) {
      // After a restore, this world no longer matches the primary's next commits.
      if (signal.aborted || world.closed || world.store.feed.epoch !== epoch) return
      receiver.receive(message)
      if (message.kind === 'complete') this.#position = { feed: receiver.feed, epoch }
      this.#state = 'ready'
      this.#failure = undefined
      this.#lastHeartbeat = world.clock.now()
    }
  }

  #resumePosition() {
    const row = replicationRow(this.#world)
    const known = this.#position
    if (row?.mode !== 'secondary' || row.position === null) return undefined
    if (known?.epoch !== this.#world.store.feed.epoch) return undefined
    return { feed: known.feed, sequence: row.position }
  }
}

/**
 * Returns a key that identifies a primary and the secondary's membership; empty without a primary.
 */
function targetOf(primary: PrimaryLink | null): string {
  return primary === null ? '' : `${primary.credential} ${primary.api_address}`
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
