import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Lease, registerLease } from '../leases/leases.ts'
import { type Mount, nextWal } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import type { Token } from '../tokens/rows.ts'
import type { ReadCertificate } from './parsed.ts'
import { pkiCertificates, pkiCertificateTable } from './tables.ts'

const revokeJob = 'secrets.pki.revoke'

/** Handler of the job that revokes the certificate of a lease that has ended. */
export const pkiJobs: Readonly<Record<string, JobHandler>> = {
  [revokeJob]: (world, { id }) => {
    const row = world.table(pkiCertificateTable).get(id)
    if (row === undefined || row.revoked_at !== null) return
    const revoked = { ...row, revoked_at: world.clock.now(), wal: nextWal(world) }
    world.write(() => world.table(pkiCertificateTable).put(id, revoked))
  },
}

/** The caller who gets a lease, and the mount. */
interface LeaseCaller {
  readonly mount: Mount
  readonly namespace: Pick<Namespace, 'id' | 'path'>
  readonly path: string
  readonly token: Token
}

/** Issues a lease that ends with a certificate; revoking the lease revokes the certificate. */
export function leaseCertificate(
  world: World,
  { mount, namespace, path, token }: LeaseCaller,
  { serial, notAfter }: ReadCertificate,
): Lease {
  const ttl = Math.max(0, Math.floor((notAfter - world.clock.now()) / 1000))
  const revoke = { job: revokeJob, id: pkiCertificates.keyOf(mount, serial) }
  return registerLease(world, { namespace, path, token, renewable: false, ttl, revoke })
}
