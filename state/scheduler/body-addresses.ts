import { bool, duration, intOf, text, uint } from '../kernel/shape/kinds.ts'
import { embedded, secret } from '../kernel/shape/members.ts'

/** Member of all bodies that the reference also sends between its servers. */
const rpcMembers = embedded('InternalRpcInfo', { Forwarded: bool })

/** Address members of the bodies of writes that the reference also sends between its servers. */
export const serverWriteRequestMembers = embedded('WriteRequest', {
  Region: text,
  Namespace: text,
  AuthToken: secret(text),
  IdempotencyToken: text,
  ...rpcMembers,
})

/** Options of reads in bodies that the reference also sends between its servers. */
export const queryOptionMembers = embedded('QueryOptions', {
  Region: text,
  Namespace: text,
  MinQueryIndex: uint,
  MaxQueryTime: duration,
  AllowStale: bool,
  Prefix: text,
  AuthToken: secret(text),
  Filter: text,
  PerPage: intOf({ bits: 32 }),
  NextToken: text,
  Reverse: bool,
  ...rpcMembers,
})

interface ServerAddress {
  readonly Region: string | null
  readonly Namespace: string | null
  readonly AuthToken: string | null
}

/**
 * Returns the address in a body that the reference also sends between its servers
 * (behaviour/scheduler#bodies).
 */
export function serverAddress({ Region, Namespace, AuthToken }: ServerAddress) {
  return { Region, Namespace, token: AuthToken }
}
