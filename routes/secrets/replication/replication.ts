import { MILLISECOND, parseGoDuration } from '../../../state/go/duration.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { defaultWorldId } from '../../../state/kernel/worlds/worlds.ts'
import { optionsOf } from '../../../state/secrets/options.ts'
import { ReplicationDigest } from '../../../state/secrets/replication/digest.ts'
import {
  type ReplicationMessage,
  replicatedJobs,
  replicatedTables,
} from '../../../state/secrets/replication/feed.ts'
import { type PrimaryLink, replicationRow } from '../../../state/secrets/replication/modes.ts'
import type {
  ReplicationMembership,
  SecondaryInfo,
} from '../../../state/secrets/replication/replication.ts'
import {
  activateSecondary,
  findByCredential,
  type SecondaryIntroduction,
} from '../../../state/secrets/replication/secondaries.ts'
import type { Connections } from '../../../state/secrets/replication/status.ts'
import { findWrapping } from '../../../state/secrets/wrapping/wrapping.ts'
import type { WorldIndex } from '../../http/journal-hooks/request-head.ts'
import { type Membership, membershipIn, readActivationToken, refuseJoin } from './activation.ts'
import { type CaPaths, readCaFiles } from './ca-files.ts'
import { LocalPrimary } from './local-primary.ts'
import { OutgoingStreams } from './outgoing.ts'
import type { PrimaryPeer, StreamRequest } from './primary-peer.ts'
import { RemotePrimary } from './remote-primary.ts'
import { SecondaryLink } from './secondary-link.ts'

/** The parts of the server that replication needs. */
interface ReplicationHost {
  readonly worlds: WorldIndex
  /** Logs the reason why a secondary lost its primary. */
  warn(data: object, message: string): void
}

/** A request of a secondary to join the primary that issued an activation token. */
export interface JoinRequest {
  /** Activation token of the primary. */
  readonly token: string
  /** Address that replaces the address in the token; empty to use the address in the token. */
  readonly primaryApiAddr: string
  /** Paths of certificates that are trusted instead of the default root certificates. */
  readonly ca: CaPaths
  readonly secondaryInfo: SecondaryInfo
  /**
   * Throws an error if the secondary must not join the primary. Called before the secondary joins.
   */
  readonly accept: (membership: Membership) => void
}

const noLink = { connected: false, connection_state: 'idle', last_heartbeat: null } as const

/**
 * The DR replication of a process: the links of its secondaries, and the streams of its primaries.
 * Finds the primary of each secondary, either in this process or over HTTP
 * (behaviour/program#clusters). The configuration of a cluster is part of its world's state,
 * whereas the connections are kept here.
 */
export class Replication {
  readonly #outgoing = new OutgoingStreams()
  readonly #links = new WeakMap<World, SecondaryLink>()
  readonly #digests = new WeakMap<World, ReplicationDigest>()
  #host: ReplicationHost | undefined

  /** Sets the host. Later calls have no effect. */
  attach(host: ReplicationHost): void {
    this.#host ??= host
  }

  /**
   * Starts the link of a secondary to its primary, unless the link is already running. Has no
   * effect if the world is not a secondary. Called at each request to a secondary, because restores
   * and imports can also create secondaries.
   */
  follow(world: World): void {
    const row = replicationRow(world)
    if (row?.mode !== 'secondary' || row.primary === null || this.#links.has(world)) return
    const link = new SecondaryLink(world, {
      connect: (primary) => this.#peer(world, primary),
      root: () => this.#rootOf(world),
      onFailure: (reason) =>
        this.#host?.warn({ world: world.id, reason: reason.message }, 'replication is interrupted'),
    })
    this.#links.set(world, link)
    // The link starts later, because the transaction that made the world a secondary may still be
    // open.
    void Promise.resolve()
      .then(() => link.run())
      .then(
        () => {
          this.#links.delete(world)
          // The world may have been given another primary while the link was ending.
          if (!world.closed) this.follow(world)
        },
        (error) => {
          this.#links.delete(world)
          this.#host?.warn({ world: world.id, err: error }, 'a replication link failed')
        },
      )
  }

  /** Returns the connections and the Merkle root of a cluster, for replies about its status. */
  connections(world: World): Connections {
    return {
      merkle_root: this.#rootOf(world),
      primary: this.#links.get(world)?.status() ?? noLink,
      secondary: (id) => this.#outgoing.linkOf(world, id),
    }
  }

  /** Returns whether a secondary is connected to its primary or about to connect. */
  reachesPrimary(world: World): boolean {
    const state = this.#links.get(world)?.status().connection_state
    return state === 'ready' || state === 'connecting'
  }

  /**
   * Uses up an activation token and joins the primary that issued it. Does not change `world`: the
   * caller passes the result to `becomeSecondary` or `changePrimary`. See
   * behaviour/secrets#replication for the refusals.
   */
  async join(world: World, request: JoinRequest): Promise<ReplicationMembership> {
    const { token, primaryApiAddr, secondaryInfo, accept } = request
    const activationToken = readActivationToken(world, token)
    const ca = await readCaFiles(request.ca)
    const sealed = activationToken.kind === 'sealed' ? activationToken.membership : undefined
    const address = primaryApiAddr || sealed?.api_address || addressIn(activationToken)
    const isPrimary = (other: World): boolean =>
      sealed === undefined
        ? replicationRow(other)?.mode === 'primary' && findWrapping(other, token) !== undefined
        : findByCredential(other, sealed.credential) !== undefined
    const peer = this.#peerAt(
      world,
      { address, ca, localAddress: secondaryInfo.api_address },
      isPrimary,
    )
    try {
      const membership = sealed ?? membershipIn(await peer.unwrap(token))
      accept(membership)
      await peer.activate(membership.credential, secondaryInfo)
      const { id, cluster_id, cluster_address, credential } = membership
      const primary: PrimaryLink = { api_address: address, cluster_address, credential, ca }
      return { secondary_id: id, cluster_id, primary }
    } catch (error) {
      throw error instanceof Refusal ? error : refuseJoin(error)
    }
  }

  /**
   * Accepts a secondary from another process, and retains commits for it. Throws a refusal for a
   * credential that does not permit joining.
   */
  activate(world: World, credential: string, introduction: SecondaryIntroduction): void {
    activateSecondary(world, credential, introduction)
    this.#outgoing.retainCommits(world)
  }

  /** Streams to a secondary in another process. See `OutgoingStreams.stream`. */
  stream(
    world: World,
    request: StreamRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ReplicationMessage> {
    const merkleRoot = () => this.#rootOf(world)
    return this.#outgoing.stream(world, { ...request, merkleRoot }, signal)
  }

  #rootOf(world: World): string {
    let digest = this.#digests.get(world)
    if (digest === undefined) {
      digest = new ReplicationDigest(world)
      this.#digests.set(world, digest)
    }
    return digest.root()
  }

  /** Returns the primary that a secondary has joined. */
  #peer(world: World, { api_address: address, ca, credential }: PrimaryLink): PrimaryPeer {
    const row = replicationRow(world)
    const localAddress = row?.mode === 'secondary' ? row.api_address : ''
    return this.#peerAt(world, { address, ca, localAddress }, (other) => {
      return findByCredential(other, credential)?.activated === true
    })
  }

  /**
   * Returns a primary, searched for in this order: a world of this process that satisfies
   * `isPrimary`; the world that the address names, if the address has the origin of this process;
   * the server at the address, which is reached over HTTP.
   */
  #peerAt(
    world: World,
    { address, ca, localAddress }: PrimaryLocation,
    isPrimary: (other: World) => boolean,
  ): PrimaryPeer {
    const worlds = this.#host?.worlds
    const candidates = worlds?.list().filter((other) => other !== world && isPrimary(other)) ?? []
    const addressedId = worldIn(address)
    const addressedWorld =
      addressedId !== undefined && isSameOrigin(address, localAddress)
        ? worlds?.find(addressedId)
        : undefined
    // A fork of the primary's world also satisfies `isPrimary`, because it knows the same
    // secondaries. The world that the address names is therefore preferred.
    const localPrimary =
      candidates.find(({ id }) => id === addressedId) ?? candidates[0] ?? addressedWorld
    if (localPrimary !== undefined) {
      return new LocalPrimary(localPrimary, this.#outgoing, (other) => this.#rootOf(other))
    }
    return new RemotePrimary({
      address,
      ca,
      timeout: parseGoDuration(optionsOf(world).replicationTimeout) / MILLISECOND,
      scope: { tables: replicatedTables(world), jobs: replicatedJobs(world) },
    })
  }
}

/** The address of a primary, and the data that are needed to reach it. */
interface PrimaryLocation {
  readonly address: string
  /** Trusted certificates in PEM format. */
  readonly ca: readonly string[]
  /** Address at which this process was called. Worlds with the same origin need no socket. */
  readonly localAddress: string
}

/** Returns the id of the world that an API address names; undefined for other addresses. */
function worldIn(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const found = /^\/(?:_world\/([^/]+)\/?)?$/.exec(new URL(address).pathname)
  return found === null ? undefined : (found[1] ?? defaultWorldId)
}

function isSameOrigin(one: string, other: string): boolean {
  return URL.canParse(other) && new URL(one).origin === new URL(other).origin
}

function addressIn(activationToken: ReturnType<typeof readActivationToken>): string {
  return activationToken.kind === 'wrapped'
    ? activationToken.address
    : activationToken.membership.api_address
}
