import type { World } from '../../../state/kernel/worlds/world.ts'
import { defaultWorldId } from '../../../state/kernel/worlds/worlds.ts'

/** Listening ports by API; the combined one counts for every API without its own. */
export type Ports = Readonly<Record<string, number>>

/** The addresses at which a world is reached. */
export interface Addresses {
  /** That of the control plane, below which all APIs are. */
  readonly url: string
  readonly ports: Ports
  /** The best one of an API: a port of its own where it has one. */
  urlOf(service: string): string
}

/** Goes before every API path of a world; empty for the default world. */
export function basePathOf(world: string): string {
  return world === defaultWorldId ? '' : `/_world/${world}`
}

/**
 * The addresses of a world: listeners of its own go before those of the process, which are below its
 * prefix (behaviour/program#worlds-for-clients).
 *
 * @param origin scheme and host under which the caller reaches the combined listener
 * @param ports those of the process
 * @param own those of the world: by API, and `combined`
 */
export function addressesOf(
  { id, services }: World,
  origin: string,
  ports: Ports,
  { combined, ...worldPorts }: Ports,
): Addresses {
  const basePath = basePathOf(id)
  const names = [...services.map(({ name }) => name), 'control']
  const shared =
    combined === undefined ? ports : Object.fromEntries(names.map((name) => [name, combined]))
  const processUrl = (port: number | undefined) =>
    (port === undefined || port === ports['control'] ? origin : atPort(origin, port)) + basePath
  return {
    url: combined === undefined ? origin + basePath : atPort(origin, combined),
    ports: { ...shared, ...worldPorts },
    urlOf: (service) => {
      const port = worldPorts[service] ?? combined
      return port === undefined ? processUrl(ports[service]) : atPort(origin, port)
    },
  }
}

/** The same host at another port. */
export function atPort(origin: string, port: number): string {
  const url = new URL(origin)
  url.port = String(port)
  return url.origin
}
