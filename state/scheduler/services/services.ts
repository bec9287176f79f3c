import { createHash } from 'node:crypto'
import { compareBytewise } from '../../json/json.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { jobItemPrefix, namespacePrefix } from '../keys.ts'
import { neutralServiceId } from '../vendor-names.ts'
import { refuse } from './messages.ts'
import { type Registration, registrations } from './tables.ts'

/**
 * Returns the names of services by namespace, each with the tags of all its registrations.
 * Namespaces without services are left out.
 */
export function listServices(world: World, namespaces: readonly string[]) {
  return namespaces.flatMap((Namespace) => {
    const tags = new Map<string, Set<string>>()
    const rows = world.table(registrations).index('byName').rows(namespacePrefix(Namespace))
    for (const { ServiceName, Tags } of rows) {
      const known = tags.get(ServiceName) ?? new Set()
      for (const tag of Tags) known.add(tag)
      tags.set(ServiceName, known)
    }
    if (tags.size === 0) return []
    const Services = Array.from(tags, ([ServiceName, serviceTags]) => ({
      ServiceName,
      Tags: [...serviceTags].sort(compareBytewise),
    }))
    return [{ Namespace, Services }]
  })
}

export function servicesNamed(world: World, namespace: string, name: string): Registration[] {
  return [...world.table(registrations).index('byName').rows(jobItemPrefix(namespace, name))]
}

export function servicesOfJob(world: World, namespace: string, id: string): Registration[] {
  return [...world.table(registrations).index('byJob').rows(jobItemPrefix(namespace, id))]
}

export function servicesOfAllocation(world: World, id: string): Registration[] {
  return [...world.table(registrations).index('byAllocation').rows(`${id} `)]
}

/**
 * Selects registrations of a service by rendezvous hashing. Requests with equal keys select the
 * same registrations. Adding or removing a registration changes the selection for few keys.
 *
 * @param parameter `<number>|<key>`
 * @throws Refusal 400 for any other format
 */
export function chooseServices(
  services: readonly Registration[],
  parameter: string,
): Registration[] {
  const [, count, key] = /^([+-]?\d+)\|(.+)$/s.exec(parameter) ?? []
  if (count === undefined || key === undefined || Number(count) < 0) {
    throw refuse('choose-malformed')
  }
  const ranked = services.map((service) => ({ service, rank: rankOf(service, key) }))
  return ranked
    .sort((a, b) => compareBytewise(a.rank, b.rank))
    .slice(0, Number(count))
    .map(({ service }) => service)
}

function rankOf(service: Registration, key: string): string {
  const { Port, AllocID, ID, Namespace, Address, ServiceName, Tags } = service
  const port = Buffer.alloc(8)
  port.writeBigUInt64BE(BigInt(Port))
  const hash = createHash('md5').update(port)
  for (const text of [AllocID, ID, Namespace, Address, ServiceName, ...Tags, key]) hash.update(text)
  return hash.digest('hex')
}

/**
 * Deletes a registration. The task of the service continues to run.
 *
 * @param id ID of the registration in either dialect
 * @throws Refusal 500 if the namespace has no registration with the ID
 */
export function deleteService(world: World, namespace: string, id: string): void {
  const ID = neutralServiceId(id)
  if (world.table(registrations).get(ID)?.Namespace !== namespace) throw refuse('service-not-found')
  world.write(() => world.table(registrations).delete(ID))
}
