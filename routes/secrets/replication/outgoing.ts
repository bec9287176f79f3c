import { freshSeed } from '../../../state/kernel/entropy.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  commitMessage,
  type ReplicationMessage,
  replicatedTables,
  snapshotMessages,
} from '../../../state/secrets/replication/feed.ts'
import {
  drReplication,
  replicationRow,
  replications,
} from '../../../state/secrets/replication/modes.ts'
import {
  findByCredential,
  isSevered,
  type Secondary,
} from '../../../state/secrets/replication/secondaries.ts'
import type { LinkStatus } from '../../../state/secrets/replication/status.ts'
import { isSealed } from '../../../state/secrets/seal/seal.ts'
import { Signal } from '../../http/blocking/signal.ts'
import { refuse } from '../messages.ts'
import { heartbeatInterval, type StreamRequest } from './primary-peer.ts'

interface OutgoingLink {
  /**
   * Number of open streams to one secondary. If the secondary's world was forked, there may be
   * several.
   */
  open: number
  last_heartbeat: number | null
}

/** The streams from the primaries of a process to their secondaries. */
export class OutgoingStreams {
  readonly #processId = freshSeed()
  readonly #links = new WeakMap<World, Map<string, OutgoingLink>>()
  readonly #retainingWorlds = new WeakSet<World>()

  /** Returns the status of the link from a primary to one of its secondaries. */
  linkOf(world: World, id: string): LinkStatus {
    const link = this.#links.get(world)?.get(id)
    return { connected: (link?.open ?? 0) > 0, last_heartbeat: link?.last_heartbeat ?? null }
  }

  /**
   * Retains the commits of a primary until the cluster stops being a primary, so that a
   * disconnected secondary can catch up. Has no effect if the cluster is not a primary.
   */
  retainCommits(world: World): void {
    if (this.#retainingWorlds.has(world) || !isPrimary(world)) return
    this.#retainingWorlds.add(world)
    const release = world.store.feed.retain()
    const stop = world.store.watchers.watchKey(replications.id, drReplication, () => {
      if (isPrimary(world)) return
      this.#retainingWorlds.delete(world)
      release()
      stop()
    })
  }

  /**
   * Streams to a secondary: first a full copy or the commits that the secondary missed, then each
   * new commit, with regular heartbeats. Ends in each of these cases: the signal aborts; the
   * secondary is revoked; the link is severed; the cluster is sealed or is no longer a primary; the
   * world closes. Throws `sealed` if the cluster is sealed at the start, and `token-refused` if the
   * credential does not belong to a secondary that may be served.
   */
  async *stream(
    world: World,
    request: StreamRequest & { readonly merkleRoot: () => string },
    signal: AbortSignal,
  ): AsyncGenerator<ReplicationMessage> {
    if (isSealed(world)) throw refuse('sealed')
    const secondary = findServedSecondary(world, request.credential)
    if (secondary === undefined) throw refuse('token-refused')
    this.retainCommits(world)
    const link = this.#linkTo(world, secondary)
    const wakeSignal = new Signal()
    const { feed, watchers } = world.store
    const stopWatching = [
      feed.follow(wakeSignal.notify),
      // The feed reports only commits. This watcher also wakes on a restore and when the world
      // closes.
      watchers.watchKey(replications.id, drReplication, wakeSignal.notify),
    ]
    signal.addEventListener('abort', wakeSignal.notify)
    link.open += 1
    const isActive = () =>
      !signal.aborted &&
      !world.closed &&
      findServedSecondary(world, request.credential) !== undefined
    try {
      yield* this.#messages(world, request, wakeSignal, isActive, () => {
        link.last_heartbeat = world.clock.now()
      })
    } finally {
      link.open -= 1
      for (const stop of stopWatching) stop()
      signal.removeEventListener('abort', wakeSignal.notify)
    }
  }

  async *#messages(
    world: World,
    request: StreamRequest & { readonly merkleRoot: () => string },
    wakeSignal: Signal,
    isActive: () => boolean,
    onHeartbeat: () => void,
  ): AsyncGenerator<ReplicationMessage> {
    const { store } = world
    const tables = replicatedTables(world)
    let { position } = request
    let missedCommits =
      position?.feed === this.#feedOf(world) ? store.feed.since(position.sequence) : undefined
    let isUpToDate = false
    if (missedCommits === undefined && request.root === request.merkleRoot()) missedCommits = []
    while (isActive()) {
      const feed = this.#feedOf(world)
      const { sequence } = store
      const wal = store.index('secrets')
      if (missedCommits === undefined) {
        const snapshot = store.snapshot()
        yield this.#helloMessage(world, feed, true)
        yield* snapshotMessages(world, snapshot)
      } else {
        if (!isUpToDate) yield this.#helloMessage(world, feed, false)
        for (const commit of missedCommits) {
          const message = commitMessage(commit, tables)
          if (message !== undefined) yield message
        }
      }
      if (missedCommits === undefined || !isUpToDate) yield { kind: 'complete', sequence, wal }
      isUpToDate = true
      position = { feed, sequence }
      onHeartbeat()
      if (
        store.sequence === sequence &&
        !(await wakeSignal.wait(heartbeatInterval)) &&
        isActive()
      ) {
        yield { kind: 'heartbeat' }
      }
      missedCommits = position.feed === this.#feedOf(world) ? store.feed.since(sequence) : undefined
    }
  }

  #helloMessage(world: World, feed: string, snapshot: boolean): ReplicationMessage {
    return { kind: 'hello', cluster_id: replicationRow(world)?.cluster_id ?? '', feed, snapshot }
  }

  /**
   * Returns the id of a world's change feed. The id is unique among processes. A restore starts a
   * feed with a new id.
   */
  #feedOf(world: World): string {
    return `${this.#processId}/${world.id}/${world.store.feed.epoch}`
  }

  #linkTo(world: World, { id }: Secondary): OutgoingLink {
    const links = this.#links.get(world) ?? new Map<string, OutgoingLink>()
    const link = links.get(id) ?? { open: 0, last_heartbeat: null }
    this.#links.set(world, links.set(id, link))
    return link
  }
}

function isPrimary(world: World): boolean {
  return replicationRow(world)?.mode === 'primary'
}

/**
 * Returns the secondary that has a credential; undefined if no secondary has it, or if the
 * secondary may currently not be served.
 */
function findServedSecondary(world: World, credential: string): Secondary | undefined {
  const secondary = findByCredential(world, credential)
  if (secondary?.activated !== true || isSealed(world)) return undefined
  return isSevered(world, secondary.id) ? undefined : secondary
}
