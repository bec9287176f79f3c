import type { Lease } from '../../../state/secrets/leases/leases.ts'

/** A lease of an envelope. Durations in seconds. */
export interface EnvelopeLease {
  readonly id: string
  readonly renewable: boolean
  readonly duration: number
}

/** Returns a lease as envelopes have it. */
export function envelopeLease({
  id,
  renewable,
  ttl,
}: Pick<Lease, 'id' | 'renewable' | 'ttl'>): EnvelopeLease {
  return { id, renewable, duration: ttl }
}
