import type { ServiceDefinition } from '../kernel/service.ts'
import type { World } from '../kernel/world.ts'
import { cubbyholes } from './cubbyhole.ts'
import { loadSecretsFixtures, secretsFixtures } from './fixtures.ts'
import { keyrings } from './keyring.ts'
import { kvJobs, kvTables } from './kv.ts'
import { heldLeases, leaseJobs, leases, tokenLeases } from './leases.ts'
import { mounts } from './mounts.ts'
import { namespaces } from './namespaces.ts'
import { nodeTransitions } from './node.ts'
import { nodes } from './node-life.ts'
import { optionsOf, secretsOptions } from './options.ts'
import { policies, seedPolicies } from './policies.ts'
import { migrations } from './remount.ts'
import {
  initialRootToken,
  isInitialized,
  seals,
  seedSeal,
  unsealKeys,
  unsealProgress,
} from './seal.ts'
import { seedMounts } from './start-mounts.ts'
import { tokenRoles } from './token-roles.ts'
import { tokenAccessors, tokenChildren, tokens } from './token-rows.ts'
import { seedTokens, tokenJobs } from './tokens.ts'

/** The secrets service: everything it brings to a world. */
export const secretsService: ServiceDefinition = {
  name: 'secrets',
  tables: [
    nodes,
    seals,
    unsealProgress,
    keyrings,
    namespaces,
    mounts,
    migrations,
    policies,
    tokens,
    tokenAccessors,
    tokenChildren,
    tokenRoles,
    leases,
    tokenLeases,
    heldLeases,
    cubbyholes,
    ...kvTables,
  ],
  options: secretsOptions,
  fixtures: secretsFixtures,
  jobs: { ...tokenJobs, ...leaseJobs, ...kvJobs },
  transitions: nodeTransitions,
  seed(world) {
    seedMounts(world)
    seedSeal(world)
    if (!isInitialized(world)) return
    seedPolicies(world)
    seedTokens(world)
  },
  load: loadSecretsFixtures,
  info: secretsInfo,
}

/** The secrets part of `/_mock/info`: credentials that are valid now (DESIGN section 6). */
export interface SecretsInfo {
  /** The root token; empty before the cluster is initialised. */
  readonly token: string
  /** The unseal key shares, as hex. */
  readonly unsealKeys: readonly string[]
  /** How many of them unseal. */
  readonly threshold: number
}

/** Root token and unseal key shares of a world. */
export function secretsInfo(world: World): SecretsInfo {
  const { keys, threshold } = unsealKeys(world)
  const token = initialRootToken(world) ?? (isInitialized(world) ? optionsOf(world).rootToken : '')
  return { token, unsealKeys: keys, threshold }
}
