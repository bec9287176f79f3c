import type { Lease } from '../../../state/secrets/leases/leases.ts'

/** Members of an envelope that describe its lease. `duration` is in seconds. */
export interface EnvelopeLease {
  readonly id: string
  readonly renewable: boolean
  readonly duration: number
}

export function envelopeLease({
  id,
  renewable,
  ttl,
}: Pick<Lease, 'id' | 'renewable' | 'ttl'>): EnvelopeLease {
  return { id, renewable, duration: ttl }
}
