import type { World } from '../../../state/kernel/worlds/world.ts'
import { defaultWorldId } from '../../../state/kernel/worlds/worlds.ts'

/**
 * Listening ports by API, and the port of the combined listener under `control`. An API without its
 * own port has the port of the combined listener. While no listener is open, there are no ports.
 */
export type Ports = Readonly<Record<string, number>>

/** The URLs and ports at which a world can be reached. */
export interface Addresses {
  /**
   * URL below which all APIs and the control plane are served. If the world has no combined
   * listener of its own, this is the URL of the combined listener of the process, with the world's
   * prefix.
   */
  readonly url: string
  readonly ports: Ports
  /** Returns the preferred URL of an API. If the API has its own port, the URL has that port. */
  urlOf(service: string): string
}

/** Returns the prefix that every API path of a world has; empty for the default world. */
export function basePathOf(world: string): string {
  return world === defaultWorldId ? '' : `/_world/${world}`
}

/**
 * Returns the addresses of a world. The world's own listeners take precedence over the listeners of
 * the process, which serve the world below its prefix (behaviour/program#worlds-for-clients).
 *
 * @param origin scheme and host under which the caller reaches the combined listener
 * @param ports ports of the process
 * @param worldPorts ports of the world's own listeners: by API, and `combined`
 */
export function addressesOf(
  { id, services }: World,
  origin: string,
  ports: Ports,
  { combined, ...worldPorts }: Ports,
): Addresses {
  const basePath = basePathOf(id)
  const names = [...services.map(({ name }) => name), 'control']
  const fallbackPorts =
    combined === undefined ? ports : Object.fromEntries(names.map((name) => [name, combined]))
  const processUrl = (port: number | undefined) =>
    (port === undefined || port === ports['control'] ? origin : atPort(origin, port)) + basePath
  return {
    url: combined === undefined ? origin + basePath : atPort(origin, combined),
    ports: { ...fallbackPorts, ...worldPorts },
    urlOf: (service) => {
      const port = worldPorts[service] ?? combined
      return port === undefined ? processUrl(ports[service]) : atPort(origin, port)
    },
  }
}

/** Returns an origin with another port. */
export function atPort(origin: string, port: number): string {
  const url = new URL(origin)
  url.port = String(port)
  return url.origin
}
