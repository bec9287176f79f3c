import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { tokenExpireJob } from '../leases/leases.ts'
import { type Namespace, rootNamespace } from '../namespaces/namespaces.ts'
import { generateAccessor, generateTokenId } from './ids.ts'
import { grantTtl, limitsAt } from './lifetime.ts'
import { type Token, tokens } from './rows.ts'

/** Everything that makes a token. TTLs and periods in seconds, 0 or left out for none. */
export interface TokenSpec {
  /** Sorted and freed of doubles by `sanitizePolicies`; nothing is added. */
  readonly policies: readonly string[]
  readonly displayName: string
  /** The path that makes it, from the namespace; its mount's TTLs hold. */
  readonly path: string
  readonly namespace?: Namespace
  /** Without a parent the token is an orphan. */
  readonly parent?: Token | undefined
  readonly type?: 'service' | 'batch'
  readonly meta?: Readonly<Record<string, string>> | null
  readonly ttl?: number
  /** Grants the TTL as it is, above the mount's maximum too. */
  readonly exactTtl?: boolean
  readonly maxTtl?: number
  readonly explicitMaxTtl?: number
  readonly period?: number
  /** What look-ups tell of the two where that is not what holds: a role's are not told. */
  readonly requested?: { readonly period: number; readonly explicitMaxTtl: number }
  readonly numUses?: number
  /** Default true; tokens that never expire and batch tokens are not renewable anyway. */
  readonly renewable?: boolean
  readonly entityId?: string
  readonly role?: string
  readonly boundCidrs?: readonly string[]
  readonly loginGroups?: readonly string[] | undefined
  /** A chosen id instead of a made-up one. */
  readonly id?: string
}

/** A new token and remarks about TTLs that were cut. */
export interface CreatedToken {
  readonly token: Token
  readonly warnings: readonly Message[]
}

/**
 * Creates a token, for token creation and logins alike (behaviour/secrets#tokens).
 * Says nothing about who may ask for what; a chosen id must be free.
 */
export function createToken(world: World, spec: TokenSpec): CreatedToken {
  const { namespace = rootNamespace, type = 'service', parent, path, id } = spec
  const { ttl = 0, maxTtl = 0, explicitMaxTtl = 0, period = 0, renewable = true } = spec
  const { requested: asked = { period, explicitMaxTtl } } = spec
  const now = world.clock.now()
  const isEndlessRoot = spec.policies.includes('root') && ttl === 0 && period === 0
  const fixedTtl = spec.exactTtl === true ? ttl : isEndlessRoot ? explicitMaxTtl : undefined
  const granted =
    fixedTtl !== undefined
      ? { ttl: fixedTtl, warnings: [] }
      : grantTtl(
          limitsAt(world, namespace.id, path),
          { ttl, maxTtl, explicitMaxTtl, period, issued: now },
          now,
        )
  const neverExpires = granted.ttl === 0
  const token: Token = {
    id: id ?? generateTokenId(world, { type, policies: spec.policies }, namespace),
    accessor: generateAccessor(world, { type }, namespace),
    type,
    namespace: namespace.id,
    namespace_path: namespace.path,
    parent: parent?.id ?? null,
    policies: spec.policies,
    meta: spec.meta ?? null,
    display_name: spec.displayName,
    path,
    role: spec.role ?? '',
    num_uses: spec.numUses ?? 0,
    renewable: renewable && !neverExpires && type === 'service',
    creation_time: now,
    creation_ttl: granted.ttl,
    ttl: granted.ttl,
    max_ttl: maxTtl,
    explicit_max_ttl: asked.explicitMaxTtl,
    period: asked.period,
    expire_time: neverExpires ? null : now + granted.ttl * 1000,
    last_renewal: null,
    entity_id: spec.entityId ?? '',
    bound_cidrs: spec.boundCidrs ?? [],
    ...(spec.loginGroups === undefined ? {} : { login_groups: spec.loginGroups }),
  }
  world.write(() => storeToken(world, token))
  return { token, warnings: granted.warnings }
}

function storeToken(world: World, token: Token): void {
  world.table(tokens).put(token.id, token)
  if (token.expire_time === null) return
  world.agenda.schedule({ at: token.expire_time, job: tokenExpireJob, id: token.id })
}

/**
 * Policy names as tokens keep them: trimmed, in lower case, sorted, each once; `root` alone where it
 * is one of them. `withDefault` adds `default` otherwise.
 */
export function sanitizePolicies(names: readonly string[], withDefault: boolean): string[] {
  const cleaned = names.map((name) => name.trim().toLowerCase()).filter((name) => name !== '')
  if (cleaned.includes('root')) return ['root']
  if (withDefault) cleaned.push('default')
  return [...new Set(cleaned)].sort()
}
