import { uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { meshTable } from '../indexes.ts'
import { type CatalogService, connectNameOf, nameKey } from './tables.ts'

/**
 * Numbers from which virtual addresses are computed, by the `nameKey` of the service that receives
 * the traffic.
 */
export const virtualAddresses = meshTable('virtual-addresses', struct({ number: uint }), {
  secrets: 'none',
})

/** Tag of the virtual address. Replies replace `mesh` by the product name of the dialect. */
export const virtualTag = 'mesh-virtual'

/**
 * Returns the tagged addresses of a service. For a proxy or a native instance, adds the virtual
 * address of the service whose traffic it serves; the first use allocates this address. Must run
 * inside a transaction.
 */
export function withVirtualAddress(
  world: World,
  service: Pick<CatalogService, 'namespace' | 'name' | 'kind' | 'proxy' | 'connect' | 'port'> &
    Pick<CatalogService, 'tagged_addresses'>,
): CatalogService['tagged_addresses'] {
  const { namespace, port: Port, tagged_addresses: addresses } = service
  const destination = connectNameOf(service)
  if (destination === undefined || destination === '') return addresses
  const table = world.table(virtualAddresses)
  const key = nameKey(namespace, destination)
  const number = table.get(key)?.number ?? table.size + 1
  if (!table.has(key)) table.put(key, { number })
  const bytes = [240, number >> 16, (number >> 8) & 255, number & 255]
  return { ...addresses, [virtualTag]: { Address: bytes.join('.'), Port } }
}
