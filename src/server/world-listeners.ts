import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Listen, WorldListeners } from '../../routes/control/worlds/listeners.ts'
import { suggestionFor } from '../../routes/http/declare/similarity.ts'
import { InputError } from '../../routes/http/declare/validate.ts'
import { assignWorld } from '../../routes/http/sockets/listener-world.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import { setAlarm } from '../../state/kernel/time.ts'
import { reasonOf } from '../config-error.ts'

/** Milliseconds after which open requests are cut off when a listener closes. */
const closeTimeout = 100

/** Parts of a process that listeners of worlds need. */
interface TcpWorldListenersSettings {
  /** Address of the listeners. */
  readonly host: string
  /** Names that can have a listener: the APIs, and `combined`. */
  readonly names: readonly string[]
  readonly isSecure: boolean
  /** Returns the app for a name. The app is ready, but may have no listener of its own. */
  appOf(name: string): Promise<FastifyInstance>
}

/**
 * Listeners of single worlds. The listeners accept connections and hand them to the server of a
 * shared app. Routes, parser, TLS and limits therefore exist once, and each listener costs little
 * more than a socket.
 */
export class TcpWorldListeners implements WorldListeners {
  readonly #settings: TcpWorldListenersSettings
  readonly #byWorld = new Map<string, readonly Listener[]>()
  readonly #opening = new Map<string, Promise<unknown>>()

  constructor(settings: TcpWorldListenersSettings) {
    this.#settings = settings
  }

  async open<W>(world: string, listen: Listen, create: () => W): Promise<W> {
    const opening = this.#open(world, this.#requestedPorts(listen), create)
    this.#opening.set(world, opening)
    try {
      return await opening
    } finally {
      this.#opening.delete(world)
    }
  }

  async complete(world: string, names: readonly string[]): Promise<void> {
    const known = this.ports(world)
    const missing = names.filter((name) => known[name] === undefined)
    if (missing.length === 0) return
    const listeners = this.#byWorld.get(world) ?? []
    await this.open(world, Object.fromEntries(missing.map((name) => [name, 0])), () => {
      this.#byWorld.set(world, [...listeners, ...(this.#byWorld.get(world) ?? [])])
    })
  }

  opening(world: string): Promise<unknown> | undefined {
    return this.#opening.get(world)?.catch(() => {})
  }

  ports(world: string): Readonly<Record<string, number>> {
    const listeners = this.#byWorld.get(world) ?? []
    return Object.fromEntries(listeners.map(({ name, port }) => [name, port]))
  }

  /** Closes the listeners of a world, and waits until their connections are closed. */
  async close(world: string): Promise<void> {
    const listeners = this.#byWorld.get(world) ?? []
    this.#byWorld.delete(world)
    await Promise.all(listeners.map((listener) => listener.close()))
  }

  /** Closes the listeners of all worlds, including those that are still opening. */
  async closeAll(): Promise<void> {
    await Promise.allSettled(this.#opening.values())
    await Promise.all([...this.#byWorld.keys()].map((world) => this.close(world)))
  }

  #requestedPorts(listen: Listen): readonly [name: string, port: number][] {
    const { names } = this.#settings
    if (typeof listen === 'boolean') return listen ? names.map((name) => [name, 0]) : []
    const unknownNames = Object.keys(listen).filter((name) => !names.includes(name))
    if (unknownNames.length === 0) return Object.entries(listen)
    throw new InputError(
      unknownNames.map((name) => {
        const suggestion = suggestionFor(name, names)
        const remedy =
          suggestion === undefined ? `known are ${names.join(', ')}` : `did you mean ${suggestion}?`
        return `/listen/${name} is unknown; ${remedy}`
      }),
    )
  }

  async #open<W>(
    world: string,
    requested: readonly [name: string, port: number][],
    create: () => W,
  ): Promise<W> {
    const { host, isSecure, appOf } = this.#settings
    const previousListeners = this.#byWorld.get(world)
    const openedListeners: Listener[] = []
    try {
      for (const [name, port] of requested) {
        const { server } = await appOf(name)
        const acceptSocket = (socket: Socket) => {
          assignWorld(socket, world)
          server.emit('connection', socket)
        }
        openedListeners.push(await Listener.open({ name, host, port, isSecure, acceptSocket }))
      }
      // The listeners are recorded first, so that their ports are known while `create` runs.
      this.#byWorld.set(world, openedListeners)
      return create()
    } catch (error) {
      if (previousListeners === undefined) this.#byWorld.delete(world)
      else this.#byWorld.set(world, previousListeners)
      await Promise.all(openedListeners.map((listener) => listener.close()))
      throw error
    }
  }
}

interface ListenerSettings {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly isSecure: boolean
  acceptSocket(socket: Socket): void
}

/** Open listener of one world, on a port of its own. */
class Listener {
  readonly name: string
  readonly port: number
  readonly #server: Server
  readonly #sockets: ReadonlySet<Socket>

  private constructor(name: string, server: Server, sockets: ReadonlySet<Socket>) {
    this.name = name
    this.#server = server
    this.#sockets = sockets
    // The server is listening here, so it has a port.
    this.port = (server.address() as AddressInfo).port
  }

  /**
   * Opens a listener.
   *
   * @throws a `conflict` refusal if the port is not available
   */
  static async open({
    name,
    host,
    port,
    isSecure,
    acceptSocket,
  }: ListenerSettings): Promise<Listener> {
    const sockets = new Set<Socket>()
    // These options match those of Node's HTTP servers, which take over the connections.
    const server = createServer({ allowHalfOpen: !isSecure, noDelay: true }, (socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      acceptSocket(socket)
    })
    try {
      server.listen({ host, port })
      await once(server, 'listening')
    } catch (error) {
      throw new Refusal('conflict', `cannot listen on port ${port} for ${name}: ${reasonOf(error)}`)
    }
    return new Listener(name, server, sockets)
  }

  async close(): Promise<void> {
    const deadline = setAlarm(closeTimeout, () => {
      for (const socket of this.#sockets) socket.destroy()
    })
    const closed = once(this.#server, 'close')
    this.#server.close()
    await closed
    deadline.cancel()
  }
}
