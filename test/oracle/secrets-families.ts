import type { ComparedApi } from '../../src/cli/compare/compared-api.ts'
import { listOf, weighted } from '../../src/cli/compare/generators.ts'
import { comparedSecrets } from '../../src/cli/compare/secrets.ts'
import { approle } from './families/approle.ts'
import { identityTokens, ldap, orchEngine, pkiRoles, ssh, totp } from './families/engines.ts'
import { generatorOf } from './families/family.ts'
import { identity, templated } from './families/identity.ts'
import { jwt } from './families/jwt.ts'
import { orch } from './families/orch.ts'
import {
  authMounts,
  capabilities,
  lockout,
  mounts,
  passwords,
  policies,
  quotas,
  remount,
  rootGeneration,
} from './families/system.ts'
import { leases, namespaces, tokenRoles, tools } from './families/tokens.ts'
import { transit } from './families/transit.ts'
import { userpass } from './families/userpass.ts'
import { ignoredMembers, knownInFamilies } from './secrets-known.ts'

const families = [
  ...[approle, userpass, jwt, orch, identity, templated],
  ...[transit, tools, leases, tokenRoles, namespaces],
  ...[
    policies,
    passwords,
    mounts,
    authMounts,
    remount,
    capabilities,
    lockout,
    rootGeneration,
    quotas,
  ],
  ...[orchEngine, totp, ssh, pkiRoles, ldap, identityTokens],
]

/** Options of a seal with one key share, as development servers have it. */
const oneShare = { secretShares: 1, secretThreshold: 1 } as const

/**
 * Comparison of one family of requests to the secrets API; requests of a family depend on each
 * other.
 */
export interface ComparedFamily extends ComparedApi {
  readonly family: string
}

/** Returns the comparisons by family. */
export function secretsFamilies(): readonly ComparedFamily[] {
  const all = comparedSecrets('vendor')
  return families.map(({ name, before, after, variables = [], requests }) => {
    const each = weighted(
      ...requests.map((template) => [template.weight ?? 1, generatorOf(template)] as const),
    )
    return {
      ...all,
      setUp: { options: { secrets: { ...all.setUp.options.secrets, ...oneShare } } },
      family: name,
      before,
      after,
      variables: [...all.variables, ...variables],
      ignoredMembers,
      // Generated keys have no fixed values. Key versions have numbers as names and times as
      // values.
      placeholderFor: (name, value) =>
        name === 'plaintext' ||
        name === 'public_key' ||
        (/^\d+$/.test(name) && typeof value === 'number')
          ? `<${name}>`
          : all.placeholderFor(name, value),
      replacements: [[/vault:v\d+:[\w+/=]{20,}/g, '<ciphertext>'], ...all.replacements],
      sequences: (longest) => listOf(each, 1, longest),
      known: [...all.known, ...knownInFamilies],
    }
  })
}
