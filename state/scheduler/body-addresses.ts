import { bool, duration, intOf, text, uint } from '../kernel/shape/kinds.ts'
import { embedded, secret } from '../kernel/shape/members.ts'

/**
 * Member that the reference embeds in all its RPC request types. Request bodies that are decoded
 * into an RPC request type accept the member.
 */
const rpcMembers = embedded('InternalRpcInfo', { Forwarded: bool })

/**
 * Members for region, namespace and token in the bodies of writes. The reference decodes these
 * bodies into its RPC request types, which have these members.
 */
export const serverWriteRequestMembers = embedded('WriteRequest', {
  Region: text,
  Namespace: text,
  AuthToken: secret(text),
  IdempotencyToken: text,
  ...rpcMembers,
})

/**
 * Query options in the bodies of reads. The reference decodes these bodies into its RPC request
 * types, which have the options as members.
 */
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
 * Returns the region, namespace and token of a body, which apply where the query and headers omit
 * them (behaviour/scheduler#bodies).
 */
export function serverAddress({ Region, Namespace, AuthToken }: ServerAddress) {
  return { Region, Namespace, token: AuthToken }
}
