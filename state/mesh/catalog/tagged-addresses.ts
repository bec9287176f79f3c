import { int, map, text } from '../../kernel/shape/kinds.ts'
import { partial, struct } from '../../kernel/shape/members.ts'
import type { ParsedOf } from '../../kernel/shape/values.ts'
import type { CatalogService } from './tables.ts'

/** Tagged addresses of a service in bodies of requests. */
export const taggedAddressesInput = map(
  partial(struct('ServiceAddress', { Address: text, Port: int })),
)

/** Converts tagged addresses to their stored form. Members that are left out get zero values. */
export function storedAddresses(
  sent: ParsedOf<typeof taggedAddressesInput> = {},
): CatalogService['tagged_addresses'] {
  const entries = Object.entries(sent).map(([tag, address]) => [
    tag,
    { Address: address.Address ?? '', Port: address.Port ?? 0 },
  ])
  return Object.fromEntries(entries)
}
